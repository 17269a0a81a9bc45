import { run } from "../lib/command.ts";

/** Whether a Docker engine (not just its client) answers. */
export async function isDockerRunning(): Promise<boolean> {
  return run("docker", ["info", "--format", "{{.ServerVersion}}"]).then(
    (version) => version.trim() !== "",
    () => false,
  );
}
