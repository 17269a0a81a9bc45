import { describe, expect, it } from "vitest";
import type { BootFailure } from "../api/runtime/bundle.ts";
import { saidOfPod } from "../../test/support/causes.ts";

/** What the runtime reports of a boot that failed; the words are those that git, bash and Node really write, as it hands them on. */
const failures: readonly (readonly [
  name: string,
  phase: BootFailure["phase"],
  reason: string,
  words: string,
  step: string,
])[] = [
  [
    "a wrong credential",
    "clone",
    "CloneFailed",
    "repository web: git clone exited with status 128: remote: HTTP Basic: Access denied; fatal: Authentication failed for 'https://git.example.com/web.git/'",
    "credential",
  ],
  [
    "no repository",
    "clone",
    "CloneFailed",
    "repository web: git clone exited with status 128: remote: Repository not found.; fatal: repository 'https://github.com/acme/web.git/' not found",
    "Check URL",
  ],
  [
    "no branch",
    "clone",
    "CloneFailed",
    "repository web: git clone exited with status 128: warning: Could not find remote branch dev to clone.; fatal: Remote branch dev not found in upstream origin; the server's default branch is main: set spec.branch of Repository web",
    "branch",
  ],
  [
    "a certificate",
    "clone",
    "CloneFailed",
    "repository web: git clone exited with status 128: fatal: unable to access 'https://git.example.com/web.git/': SSL certificate problem: unable to get local issuer certificate",
    "certificate authority",
  ],
  [
    "a host key",
    "clone",
    "CloneFailed",
    "repository web: git clone exited with status 128: Host key verification failed.; fatal: Could not read from remote repository.",
    "Check URL",
  ],
  [
    "a full disk",
    "clone",
    "CloneFailed",
    "repository web: git clone exited with status 128: fatal: write error: No space left on device",
    "Check URL",
  ],
  [
    "a hook that failed",
    "start",
    "HookFailed",
    "start.sh of repository web exited with status 7: PORT is not set",
    "Fix .runwright/start.sh",
  ],
  [
    "a hook without memory",
    "start",
    "HookFailed",
    "start.sh of repository web was ended by SIGKILL, perhaps because it ran out of memory",
    "Fix .runwright/start.sh",
  ],
  ["an agent that is not there", "agent", "AgentNotStarted", 'there is no program "claude"', "Check agent.command"],
  [
    "an agent without its run bit",
    "agent",
    "AgentNotStarted",
    '"./agent.sh" is there and may not be executed: set its executable bit',
    "Check agent.command",
  ],
  [
    "an agent that does not answer",
    "agent",
    "AgentNotStarted",
    "the agent exited with status 1: unknown option --acp",
    "Check agent.command",
  ],
  [
    "skills that were changed",
    "skills",
    "SkillsNotInstalled",
    "the stored skills are not those that the session had",
    "See the message",
  ],
];

describe("a boot that failed is said at once, and another sandbox is not tried", () => {
  it.each(failures)("%s", (_, phase, reason, words, step) => {
    const running = (name: string): object => ({ name, image: "sandbox:1", state: { running: {} } });
    const status = { phase: "Running", containerStatuses: [running("runtime"), running("agent")] };
    const bootFailure = { phase, reason, message: words };
    const got = saidOfPod(status, { lease: { isReady: false, bootFailure }, afterMs: 20_000, startedMs: 0 });
    expect(got).toMatchObject({ reason, again: "never" });
    expect(got.message).toContain(`boot failed in phase ${phase}: ${words.replace(/\.$/, "")}`);
    expect(got.message).toContain(step);
    expect(got.run).toBe(`${reason}: ${got.message}`);
  });
});
