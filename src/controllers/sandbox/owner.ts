import type { Sandbox } from "../../api/v1alpha1/session-sandbox.ts";
import { Session, type SessionSkills, type SessionSpec, type SessionStatus } from "../../api/v1alpha1/session.ts";
import type { BundleBuild } from "../../api/runtime/build.ts";
import type { KubeObject, ObjectMeta, Resource } from "../../lib/resource.ts";

/** What an owner's status keeps of its current or last attempt; owners may keep more beside it. */
export type AttemptRecord = Omit<Sandbox, "forPromptUID" | "replacement">;

/** A saved workspace that the next attempt begins with. */
export type SavedWorkspace = NonNullable<SessionStatus["snapshot"]>;

/** An object whose status holds a sandbox attempt. Nothing in this folder knows what its sandbox is for. */
export interface AttemptOwner {
  /** Its kind. */
  resource: Resource<KubeObject>;
  metadata: ObjectMeta;
  /** What its sandboxes are made of. */
  spec: Pick<SessionSpec, "target" | "sandboxClassName" | "serviceAccountName" | "agent" | "skills">;
  /** Names of the Repositories that its first sandbox had; undefined before that. */
  repositories?: readonly string[] | undefined;
  /** Whether the workspace is saved before a sandbox ends. */
  keepsWorkspace: boolean;
  /** Its skills; once they are fixed, later changes of Skills do not count. */
  skills: { isFixed: boolean; set?: SessionSkills | undefined };
  record?: AttemptRecord | undefined;
  /** Of an attempt that builds an image. */
  build?: BundleBuild | undefined;
  savedWorkspace?: SavedWorkspace | undefined;
  /** What the agent gets as a file, where its owner was made for an event. */
  payload?: string | undefined;
  /** What an agent that has forgotten its former sandboxes is given before its first prompt. */
  earlierTurns?: string | undefined;
}

/** A session as the owner of its attempts. */
export function sessionAsOwner(session: Session): AttemptOwner {
  const { metadata, spec, status } = session;
  const { repositories, sandbox: record, snapshot: savedWorkspace, skills: set } = status ?? {};
  // Of a pod that the API server refused there is a record, too, but no UID.
  const skills = { isFixed: set !== undefined || record?.podUID !== undefined, set };
  return {
    resource: Session,
    metadata,
    spec,
    repositories,
    keepsWorkspace: keepsWorkspace(session),
    skills,
    record,
    savedWorkspace,
  };
}

/** Whether the workspace is saved before a sandbox ends. A session whose idle sandbox ends at once, as a Run's, keeps nothing. */
export function keepsWorkspace({ spec }: Pick<Session, "spec">): boolean {
  return spec.idleTimeoutSeconds > 0;
}
