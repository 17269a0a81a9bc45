import type { Progress } from "../lib/progress.ts";
import { ensureDebianProgram } from "./debian-program.ts";

/** Gives nginx, which stands in an ingress controller's place. */
export function ensureNginx(progress: Progress): Promise<string> {
  return ensureDebianProgram({ program: "nginx", debianPackage: "nginx", path: "usr/sbin/nginx" }, progress);
}
