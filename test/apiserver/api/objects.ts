import type { Kind } from "../../../src/api/v1alpha1/index.ts";
import { testApi } from "../../support/cluster.ts";
import { collectionPath } from "./paths.ts";

/** An object as the API server answered it. */
export interface StoredObject {
  metadata: { name: string; resourceVersion: string; generation: number };
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
}

/** Creates an object of a kind; throws with the API server's message when it is refused. */
export async function create(kind: Kind, namespace: string, object: object): Promise<StoredObject> {
  const path = collectionPath(kind, namespace);
  return accepted(
    await testApi().send("POST", path, { apiVersion: "runwright.dev/v1alpha1", kind: kind.kind, ...object }),
  );
}

/** Changes an object, or its status, by JSON merge patch; throws with the API server's message when it is refused. */
export async function patch(kind: Kind, namespace: string, name: string, change: object): Promise<StoredObject> {
  const subresource = "status" in change ? "/status" : "";
  return accepted(await testApi().send("PATCH", `${collectionPath(kind, namespace)}/${name}${subresource}`, change));
}

function accepted({ status, body }: { status: number; body: unknown }): StoredObject {
  if (status >= 300) throw new Error((body as { message: string }).message);
  return body as StoredObject;
}
