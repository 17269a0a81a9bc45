import type { Bundle, BundleRepository } from "../../api/runtime/bundle.ts";
import { clonePlace } from "../../api/v1alpha1/clone-url.ts";
import { isReservedSecretKey, type ReservedVariable } from "../../api/v1alpha1/secret-scopes.ts";

/** Whether the workspace was cloned, restored or came with a prebuilt image; hooks get it as `RUNWRIGHT_BOOT_MODE`. */
export type BootMode = "fresh" | "build" | "repo_image" | "snapshot_restore";

/**
 * Variables that the platform sets, of which no secret can have the name. SANDBOX_AUTH_TOKEN and SCM_APP_TOKEN are never among
 * them: the runtime keeps tokens, and git asks a helper.
 */
export type PlatformVariables = Partial<Record<ReservedVariable, string>>;

/** Variables of hooks and agent on top of the container's own: the session's secrets, then the platform's values. */
export function workEnvironment(bundle: Bundle, gatewayUrl: string, mode: BootMode = "fresh"): Record<string, string> {
  const secrets = Object.entries(bundle.environment).filter(([name]) => !isReservedSecretKey(name));
  const ofGateway: PlatformVariables = mode === "build" ? {} : { CONTROL_PLANE_URL: gatewayUrl };
  return { ...Object.fromEntries(secrets), ...platformValues(bundle), ...ofGateway, ...markersOf(bundle, mode) };
}

function markersOf({ image }: Bundle, mode: BootMode): PlatformVariables {
  const [primary] = image?.commits ?? [];
  const markers: Record<BootMode, PlatformVariables> = {
    fresh: {},
    build: { IMAGE_BUILD_MODE: "true" },
    repo_image: { FROM_REPO_IMAGE: "true", ...(primary && { REPO_IMAGE_SHA: primary.commit }) },
    snapshot_restore: { RESTORED_FROM_SNAPSHOT: "true" },
  };
  return markers[mode];
}

/** Variables of commands that the runtime starts for itself, such as git clone: none that people set. */
export const plainEnvironment: Readonly<Record<string, string>> = { GIT_TERMINAL_PROMPT: "0", LC_ALL: "C.UTF-8" };

function platformValues(bundle: Bundle): PlatformVariables {
  const { session, repositories } = bundle;
  const primary = repositories[0];
  const named = primary && ownerAndName(primary.url);
  return {
    PYTHONUNBUFFERED: "1",
    ...(bundle.traceparent === undefined ? {} : { TRACEPARENT: bundle.traceparent }),
    // A build has no session.
    ...(bundle.build ? {} : { SANDBOX_ID: `${session.uid}-${session.attempt}` }),
    ...(named ? { REPO_NAME: named.name, ...(named.owner === "" ? {} : { REPO_OWNER: named.owner }) } : {}),
    ...(bundle.build ? {} : { SESSION_CONFIG: JSON.stringify(sessionConfig(bundle, primary)) }),
    // git must fail rather than ask a terminal that is not there.
    GIT_TERMINAL_PROMPT: "0",
  };
}

function sessionConfig({ session, repositories }: Bundle, primary: BundleRepository | undefined): object {
  const named = primary && ownerAndName(primary.url);
  return {
    session_id: session.uid,
    repo_owner: named?.owner ?? null,
    repo_name: named?.name ?? null,
    ...(primary ? { branch: primary.branch } : {}),
    ...(repositories.length > 1 ? { repositories: repositories.map(describe) } : {}),
  };
}

function describe({ url, branch }: BundleRepository): object {
  const { owner, name } = ownerAndName(url);
  return { repo_owner: owner, repo_name: name, branch };
}

/** `https://host/group/sub/name.git` is `name` of `group/sub`. */
function ownerAndName(url: string): { owner: string; name: string } {
  const parts = clonePlace(url)
    .path.split("/")
    .filter((part) => part !== "");
  const name = parts.pop() ?? "";
  return { owner: parts.join("/"), name };
}
