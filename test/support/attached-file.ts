import { digestOf } from "../../src/domain/images/image-key.ts";
import { mediaName } from "../../src/domain/media/media-name.ts";
import { attachedTypeOf } from "../../src/domain/media/media-type.ts";
import { testApi } from "./cluster.ts";
import { openDirectoryStore } from "./directory-store.ts";
import { find } from "./runtime-world.ts";

/** A file that an agent attaches to its answer. */
interface Attaching {
  namespace: string;
  /** Name of the Prompt. */
  prompt: string;
  content: Buffer<ArrayBuffer>;
  fileName: string;
  /** How many others were left out. */
  leftOut?: number;
}

/** Leaves what a gateway does that has taken the file: its bytes below the blob store, its name in the status. Gives its name in paths. */
export async function attachFile(
  blobDirectory: string,
  { namespace, prompt, content, fileName, leftOut = 0 }: Attaching,
): Promise<string> {
  const group = `/apis/runwright.dev/v1alpha1/namespaces/${namespace}`;
  const { metadata, spec } = (await find(`${group}/prompts/${prompt}`))!;
  const { name } = spec.sessionRef as { name: string };
  const session = (await find(`${group}/sessions/${name}`))!;
  const file = {
    digest: await digestOf(content),
    mediaType: attachedTypeOf(content)!,
    fileName,
    bytes: content.length,
  };
  const store = await openDirectoryStore(blobDirectory);
  await store.put(`${session.metadata.uid}/media/${metadata.uid}/${mediaName(file)}`, content);
  const status = { media: { files: [file], leftOut } };
  const answer = await testApi().send("PATCH", `${group}/prompts/${prompt}/status`, { status });
  if (answer.status !== 200) throw new Error(`PATCH ${prompt}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return mediaName(file);
}
