import { z } from "zod";
import { costUsd } from "./outcome.ts";
import { atomicOf, integer, text, Time } from "./schema.ts";

export const Tunnel = z
  .object({
    port: z.int32().min(1).max(65_535).describe("port is what a program in the sandbox listens on, 1 to 65,535."),
    url: text(2_048).describe("url is the port's address, at most 2,048 characters."),
  })
  .describe("Tunnel is a port of the sandbox and its address.");

export type Tunnel = z.infer<typeof Tunnel>;

export const Sandbox = z
  .object({
    attempt: integer(1, 1_000_000).describe(
      "attempt numbers the session's sandboxes from 1; reports of earlier attempts are ignored.",
    ),
    podName: text(63).describe("podName is the pod of this attempt, in the session's namespace."),
    podUID: text(64).optional().describe("podUID is the sandbox pod's UID; only this pod gets the session's bundle."),
    createTime: Time.describe(
      "createTime is when the controller created the pod, or took it from its pool; the boot budget runs from here.",
    ),
    pool: text(63)
      .optional()
      .describe("pool is the SandboxPool in which the pod waited; left out, it was created for the session."),
    containerStartTime: Time.optional().describe(
      "containerStartTime is when the controller first saw the runtime's container running; the connect watchdog runs from here.",
    ),
    connectTime: Time.optional().describe("connectTime is when the runtime first connected."),
    phase: z
      .object({
        name: z
          .enum(["Restoring", "Cloning", "SetUp", "Start", "StartingAgent"])
          .describe(
            "name says what goes on: Restoring the saved workspace, Cloning, SetUp and Start (the hooks setup.sh and start.sh), or StartingAgent.",
          ),
        repository: text(63).optional().describe("repository is the Repository whose hook runs."),
        since: Time.describe("since is when it began."),
      })
      .optional()
      .describe(
        "phase is what boot is at, until it has ended; shown with the next change of the status, or once it lasts longer than 30 seconds.",
      ),
    readyTime: Time.optional().describe("readyTime is when the controller saw that boot had ended."),
    gatewaysAwayMs: integer(1)
      .optional()
      .describe(
        "gatewaysAwayMs is for how many milliseconds of its boot no gateway was there; the boot budget is longer by as much.",
      ),
    gatewaysBackTime: Time.optional().describe(
      "gatewaysBackTime is the end of the last outage of all gateways by which deadlines were moved.",
    ),
    tunnels: atomicOf(z.array(Tunnel).max(10))
      .optional()
      .describe("tunnels are the ports that people reach through the gateway, at most 10."),
    snapshotTime: Time.optional().describe(
      "snapshotTime is when the saving of the workspace began; no prompt begins while it goes on.",
    ),
    snapshotTry: integer(1, 1_000_000)
      .optional()
      .describe("snapshotTry numbers the tries to save this sandbox's workspace from 1."),
    saveFailures: integer(1, 1_000_000)
      .optional()
      .describe("saveFailures is how many tries to save the workspace have failed since the sandbox became idle."),
    saveFailureTime: Time.optional().describe(
      "saveFailureTime is when the last of them failed; the next one begins 1 minute later, then after twice as long each time, up to 30 minutes.",
    ),
    maxUnsavedSeconds: integer(0, 604_800)
      .optional()
      .describe("maxUnsavedSeconds is the class's maxUnsavedSeconds when the sandbox was created; left out, 86,400."),
    workspaceLimitBytes: integer(0)
      .optional()
      .describe(
        "workspaceLimitBytes is the class's workspaceSizeLimit when the sandbox was created, in bytes; no larger archive of its workspace is saved.",
      ),
    volumeSnapshotClassName: text(253)
      .optional()
      .describe(
        "volumeSnapshotClassName is the VolumeSnapshotClass that saves the workspace's volume; left out, an archive goes to the blob store.",
      ),
    costUsd: costUsd(32)
      .optional()
      .describe("costUsd is what the sandbox has cost so far in US dollars, as far as the agent reported it."),
    costTime: Time.optional().describe("costTime is when costUsd grew last; it follows within 2 minutes."),
    endTime: Time.optional().describe("endTime is when the attempt ended; later reports of it are ignored."),
    endReason: text(64).optional().describe("endReason is why the attempt ended."),
    forPromptUID: text(64)
      .optional()
      .describe("forPromptUID is the UID of the prompt that was first in line when the sandbox was started."),
    replacement: z
      .boolean()
      .optional()
      .describe(
        "replacement is true when this sandbox replaces one that failed to start for the same prompt; a prompt gets one replacement.",
      ),
  })
  .describe("Sandbox is the session's current or last sandbox.");
export type Sandbox = z.infer<typeof Sandbox>;
