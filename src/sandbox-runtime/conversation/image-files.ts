import { join } from "node:path";
import type { PromptImage } from "../../api/v1alpha1/prompt-image.ts";
import { imageName, imageTitle } from "../../domain/images/image-key.ts";
import { ImageError } from "../gateway/image-client.ts";
import type { WorkContext } from "../work-context.ts";

/** Below the workspace and beside the checkouts, so that no commit takes it in. */
const folderName = ".runwright/images";

/**
 * Writes a prompt's images into the workspace, where those of the prompt before are deleted, and gives the text that tells an
 * agent of them. @throws ImageError, or the signal's reason
 */
export async function writeImages(
  { agent, images: source }: Pick<WorkContext, "agent" | "images">,
  images: readonly PromptImage[],
  signal: AbortSignal,
): Promise<string> {
  const { workspace } = agent.introduction;
  const folder = join(workspace, folderName);
  const emptying = { command: ["rm", "-rf", "--", folder], cwd: workspace, env: {}, keepsChildren: false };
  await agent.run(emptying, () => undefined).ended;
  const lines = ["Images of this prompt:"];
  for (const image of images) {
    signal.throwIfAborted();
    const path = join(folder, imageName(image));
    const content = await source.read(image, signal);
    const { code, error = "the agent's container is gone" } = await agent.writeFile(path, content);
    if (code !== 0) throw new ImageError(`image ${imageTitle(image)} could not be written to ${path}: ${error}`);
    lines.push(`- ${path}${image.fileName === undefined ? "" : ` (${JSON.stringify(image.fileName)})`}`);
  }
  return lines.join("\n");
}
