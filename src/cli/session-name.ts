import { Session } from "../api/v1alpha1/index.ts";
import { idText, namedId } from "./automation-name.ts";
import { CliError } from "./cli-error.ts";
import type { Invocation } from "./command.ts";

/** The Session that the first argument names, as it is stored. @throws CliError when there is none */
export async function existingSession(
  invocation: Pick<Invocation, "args" | "namespace" | "cluster">,
): Promise<Session> {
  const id = namedId("Session", invocation);
  const found = await invocation.cluster().client.find<Session>(Session, id);
  if (found) return found;
  throw new CliError(
    `there is no Session ${idText(id)}\nSee those that there are: kubectl get sessions -n ${id.namespace}`,
  );
}
