import { firstCharacters } from "../../lib/characters.ts";
import { open } from "node:fs/promises";
import { basename } from "node:path";

import { z } from "zod";

import { imageLimits, PromptImage, type Session } from "../../api/v1alpha1/index.ts";
import { mediaTypeOf } from "../../domain/images/media-type.ts";
import { CliError, misuse } from "../cli-error.ts";
import type { Invocation } from "../command.ts";
import type { gatewayFlags } from "../arguments/common-flags.ts";
import type { FlagValues } from "../arguments/flag.ts";
import { unreadable } from "../arguments/unreadable.ts";
import { gatewayRefusal, openGatewayApi } from "./gateway-api.ts";
import { gatewayTarget } from "./gateway-target.ts";

const Uploaded = z.object({ image: PromptImage });

/** Uploads the files to a session; nothing is uploaded unless all are images. @throws CliError that names the file */
export async function uploadImages(
  invocation: Pick<Invocation, "cluster" | "clock"> & { flags: FlagValues<typeof gatewayFlags> },
  session: Session,
  files: readonly string[],
): Promise<PromptImage[]> {
  if (files.length === 0) return [];
  if (files.length > imageLimits.perPrompt) {
    throw misuse(
      `--image was given ${files.length} times, but a prompt may have at most ${imageLimits.perPrompt} images`,
    );
  }
  const images: { file: string; content: Buffer }[] = [];
  for (const file of files) images.push({ file, content: await readImage(file) });
  const { namespace = "", name = "" } = session.metadata;
  const api = await openGatewayApi(invocation, gatewayTarget(invocation, namespace));
  const uploaded: PromptImage[] = [];
  for (const { file, content } of images) {
    const answer = await api.upload(`/sessions/${namespace}.${name}/images`, content);
    const { data } = Uploaded.safeParse(answer.body);
    if (answer.status !== 201 || !data) throw gatewayRefusal(answer, `--image ${file}`);
    uploaded.push({ ...data.image, fileName: firstCharacters(basename(file), imageLimits.fileNameCharacters) });
  }
  return uploaded;
}

/** Reads at most one byte more than an image may have. */
async function readImage(file: string): Promise<Buffer> {
  const content = await readBeginning(file, imageLimits.bytes + 1);
  if (content.length > imageLimits.bytes) {
    throw new CliError(`--image ${file} is larger than ${imageLimits.bytes} bytes`);
  }
  if (mediaTypeOf(content)) return content;
  throw new CliError(`--image ${file} is no PNG, JPEG, WebP or GIF image`);
}

async function readBeginning(file: string, bytes: number): Promise<Buffer> {
  try {
    await using handle = await open(file);
    const chunks: Buffer[] = [];
    for await (const chunk of handle.createReadStream({ end: bytes - 1, autoClose: false }))
      chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } catch (error) {
    throw unreadable(`--image ${file}`, error);
  }
}
