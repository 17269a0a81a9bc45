import type { Buffer } from "node:buffer";

import type { AttachedFile, Prompt } from "../../api/v1alpha1/index.ts";
import { digestOf } from "../../domain/images/image-key.ts";
import { downloadPath } from "../../domain/media/download-path.ts";
import type { gatewayFlags } from "../arguments/common-flags.ts";
import type { FlagValues } from "../arguments/flag.ts";
import { CliError } from "../cli-error.ts";
import type { Invocation } from "../command.ts";
import { openGatewayApi } from "./gateway-api.ts";
import { gatewayTarget } from "./gateway-target.ts";

/** A file that the agent attached to its answer, as the Prompt names it. @throws CliError where the gateway has it no more */
export async function downloadMedia(
  invocation: Pick<Invocation, "cluster" | "clock"> & { flags: FlagValues<typeof gatewayFlags> },
  prompt: Prompt,
  { file, what }: { file: AttachedFile; what: string },
): Promise<Buffer> {
  const api = await openGatewayApi(invocation, gatewayTarget(invocation, prompt.metadata.namespace ?? ""));
  const content = await api.download(downloadPath(prompt, file), what);
  if ((await digestOf(content)) === file.digest) return content;
  throw new CliError(`${what}: the gateway answered with other bytes than the Prompt names\nTry again`);
}
