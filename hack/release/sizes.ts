import { run } from "../lib/command.ts";
import { imageSizes } from "./image-sizes.ts";

// node hack/release/sizes.ts IMAGE@DIGEST PLATFORM,PLATFORM: for the summary of a release.
const [image = "", platforms = ""] = process.argv.slice(2);
const inspect = (reference: string): Promise<string> =>
  run("docker", ["buildx", "imagetools", "inspect", "--raw", reference]);
try {
  process.stdout.write(await imageSizes(image, platforms.split(","), inspect));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
