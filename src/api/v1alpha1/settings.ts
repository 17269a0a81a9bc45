import { z } from "zod";
import { atomicOf, integer, mapOf, matching, text, withRule } from "./schema.ts";

/** A sandbox's lifetime: whole seconds, at most 7 days. */
export const SandboxTimeoutMs = integer(1_000, 604_800_000).multipleOf(1_000);

const FinalSnapshotBufferMs = integer(300_000, 604_800_000).multipleOf(1_000);

const TunnelPorts = withRule(atomicOf(z.array(integer(1, 65_535)).max(10)), {
  message: "must not name the same port twice",
  cel: "self.all(port, self.exists_one(other, other == port))",
  check: (ports) => new Set(ports).size === ports.length,
});

const ChildSessions = integer(0, 1_000);

/** Decimal text, as floating-point numbers have no place in an API. Empty text is the value "no limit". */
const MaxSessionCostUsd = withRule(
  matching(
    text(16),
    /^([0-9]{1,9}(\.[0-9]{1,6})?)?$/,
    "must be an amount in US dollars such as 5 or 0.25, with up to 6 decimal places, written as text; empty for no limit",
  ),
  {
    message: "must be more than 0; leave it empty for no limit",
    cel: "self == '' || self.matches('[1-9]')",
    check: (amount) => amount === "" || /[1-9]/.test(amount),
  },
);

const settings = {
  sandboxTimeoutMs: SandboxTimeoutMs.optional().describe(
    "sandboxTimeoutMs is the sandbox's lifetime and the execution budget of a prompt in milliseconds: whole seconds, 1,000 to 604,800,000 (7 days). Unset: the SandboxClass's lifetime, and for prompts the operator's EXECUTION_TIMEOUT_MS.",
  ),
  finalSnapshotBufferMs: FinalSnapshotBufferMs.optional().describe(
    "finalSnapshotBufferMs is how long before the end of its lifetime a sandbox's workspace is saved, in milliseconds: whole seconds, 300,000 (5 minutes) to 604,800,000. Unset everywhere: 600,000 (10 minutes).",
  ),
  tunnelPorts: TunnelPorts.optional().describe(
    "tunnelPorts are the ports of the sandbox that people can reach, at most 10, each once. An empty list means none, also when another scope sets some. Unset everywhere: none.",
  ),
  buildTimeoutSeconds: integer(1, 3_600)
    .optional()
    .describe(
      "buildTimeoutSeconds is the time limit for building a prebuilt image, clone and setup.sh together, 1 to 3,600. Unset everywhere: 1,800 (30 minutes).",
    ),
  maxConcurrentChildSessions: ChildSessions.optional().describe(
    "maxConcurrentChildSessions is how many unfinished child sessions a session may have at once, 0 to 1,000; a value above maxTotalChildSessions is replaced by it. Unset everywhere: 5.",
  ),
  maxTotalChildSessions: ChildSessions.optional().describe(
    "maxTotalChildSessions is how many child sessions a session may start in all, 0 to 1,000. Unset everywhere: 15.",
  ),
  maxSessionCostUsd: MaxSessionCostUsd.optional().describe(
    "maxSessionCostUsd is the cost limit in US dollars of a session together with its child sessions: once it is reached, processed prompts are stopped and no further one starts. A positive amount as text with up to 6 decimal places, such as '2.50'. Empty text means no limit and overrides the limit of a weaker scope. Unset everywhere: no limit.",
  ),
};

/** The settings of one scope; a setting that is left out is taken from the next scope. */
export const Settings = z
  .object(settings)
  .describe("Settings are the settings of one scope; a setting that is left out is taken from the next scope.");
export type Settings = z.infer<typeof Settings>;
export type SettingName = keyof Settings;

/** A class sets the lifetime beside its maximum, not among its settings. */
export const ClassSettings = Settings.omit({ sandboxTimeoutMs: true }).describe(
  "ClassSettings are the settings of sessions of one class.",
);

/** The settings in effect for a session, merged from all scopes. */
export const SessionSettings = z
  .object({
    sandboxTimeoutMs: SandboxTimeoutMs.optional().describe(
      "sandboxTimeoutMs is each sandbox's lifetime in milliseconds; absent means no limit.",
    ),
    finalSnapshotBufferMs: FinalSnapshotBufferMs.describe(
      "finalSnapshotBufferMs is how long before the end of its lifetime a sandbox's workspace is saved, in milliseconds.",
    ),
    tunnelPorts: TunnelPorts.describe("tunnelPorts are the ports of the sandbox that people can reach."),
    maxConcurrentChildSessions: ChildSessions.describe(
      "maxConcurrentChildSessions is how many unfinished child sessions there may be at once.",
    ),
    maxTotalChildSessions: ChildSessions.describe(
      "maxTotalChildSessions is how many child sessions there may be in all.",
    ),
    buildTimeoutSeconds: integer(1, 3_600).describe(
      "buildTimeoutSeconds is the time limit for building a prebuilt image.",
    ),
    maxSessionCostUsd: MaxSessionCostUsd.describe(
      "maxSessionCostUsd is the inherited cost limit in US dollars, empty for none; a Session's own spec.settings.maxSessionCostUsd overrides it at any time.",
    ),
  })
  .describe("SessionSettings are the settings in effect, merged from all scopes.");
export type SessionSettings = z.infer<typeof SessionSettings>;

export const SettingOrigin = z
  .object({
    name: text(63).describe("name is the field of spec.settings that was set, such as sandboxTimeoutMs."),
    origin: text(127).describe("origin is Operator, Session, or kind and name such as Repository/web."),
  })
  .describe("SettingOrigin is the scope that set one setting.");
export type SettingOrigin = z.infer<typeof SettingOrigin>;

export const SettingOrigins = mapOf(z.array(SettingOrigin).max(16), "name")
  .optional()
  .describe(
    "settingOrigins are the scopes that set the values of settings, at most 16; a setting that is not listed has its built-in value.",
  );
