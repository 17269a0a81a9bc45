import openapiTs, { astToString } from "openapi-typescript";
import type { OpenAPI3 } from "openapi-typescript";

const header = "/** Generated from the OpenAPI document by `npm run generate`; never edited by hand. */\n\n";

interface Document {
  paths: Record<string, Record<string, unknown>>;
}

/** The method and path of every operation of the REST API, which the page's server forwards. */
export function apiOperationsModule(document: object): string {
  const { paths } = document as Document;
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `  ["${method.toUpperCase()}", "${path}"],\n`),
  );
  return `${header}export const apiOperations = [\n${rows.join("")}] as const;\n`;
}

/** The types of the REST API's requests and answers, for the page. */
export async function apiTypesModule(document: object): Promise<string> {
  return header + astToString(await openapiTs(document as OpenAPI3));
}
