import { writeFileSync } from "node:fs";

import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** Names the file that gets the errors. */
export const errorsVariable = "RUNWRIGHT_TEST_ERRORS";

/** A vitest reporter that writes what went wrong beside the tests, of which the JSON report says nothing: a JSON array, one text an error. */
export default class UnhandledErrors implements Reporter {
  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const path = process.env[errorsVariable];
    if (path !== undefined) writeFileSync(path, JSON.stringify(errors.map(textOf)));
  }
}

/** The stack, which begins with the message unless something has cut it. */
function textOf({ message, stack = "" }: SerializedError): string {
  return stack.includes(message) ? stack : `${message}\n${stack}`.trimEnd();
}
