import type { Process } from "../../../src/api/v1alpha1/process-policies.ts";

/** A change of an object as a JSON merge patch, and words of the refusal. */
export type Refused = readonly [what: string, change: object, message: string];

/** One write that a process makes, and others that it may not make. */
export interface Tried {
  process: Process;
  /** Name of the table's row. */
  write: string;
  /** Path of the collection. */
  path: string;
  /** What is there, for a change. */
  stored?: object;
  /** What is created, or the patch of what is there. */
  object: object;
  /** Where the change is sent, such as `/status`. */
  subresource?: string;
  refused?: readonly Refused[];
}

/** Release and namespaces of the policies that the tests install. */
export const release = { name: "runwright", namespace: "runwright-system" };
export const keysNamespace = "runwright-system-runwright-keys";
export const sessionsNamespace = "runwright-system-runwright-sessions";
export const tokensNamespace = "runwright-system-runwright-tokens";
export const tenant = "tenant";

export const of = (api: string, plural: string, namespace: string = tenant): string =>
  `${api}/namespaces/${namespace}/${plural}`;
export const ours = "/apis/runwright.dev/v1alpha1";
export const core = "/api/v1";
export const coordination = "/apis/coordination.k8s.io/v1";
export const events = of("/apis/events.k8s.io/v1", "events");
