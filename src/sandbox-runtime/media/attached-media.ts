import type { ChildAnswer } from "../../api/runtime/children.ts";
import type { PromptOutcome } from "../../api/runtime/messages.ts";
import { mediaLimits } from "../../api/v1alpha1/prompt-media.ts";
import { digestOf } from "../../domain/images/image-key.ts";
import { type Attached, chooseMedia } from "../../domain/media/choose-media.ts";
import { plainFileName } from "../../domain/media/file-name.ts";
import { attachedTypeOf } from "../../domain/media/media-type.ts";
import type { OfferedFile } from "../local/incoming-file.ts";
import type { MediaStore } from "./media-client.ts";

type Report = NonNullable<PromptOutcome["media"]>;

interface Noted extends Attached {
  /** How the outcome names the file; undefined while the gateway has not stored it. */
  stored?: Report["files"][number];
}

/** The files that an agent attaches to the answer of one prompt; one of them is in memory at a time. */
export class AttachedMedia {
  readonly #promptUid: string;
  readonly #store: MediaStore;
  readonly #noted: Noted[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(promptUid: string, store: MediaStore) {
    this.#promptUid = promptUid;
    this.#store = store;
  }

  /** Attaches a file after those before it; never rejects. */
  attach(file: OfferedFile, content: () => Promise<Buffer>): Promise<ChildAnswer> {
    const answer = this.#last.then(() => this.#attach(file, content)).catch(() => notSent);
    this.#last = answer;
    return answer;
  }

  /** The files that the outcome of the prompt names; undefined where the agent attached none. */
  get report(): Report | undefined {
    if (this.#noted.length === 0) return undefined;
    const { sent, leftOut } = chooseMedia(this.#noted);
    const files = sent.flatMap(({ stored }) => stored ?? []);
    return { files, leftOut: leftOut + sent.length - files.length };
  }

  async #attach({ fileName, bytes }: OfferedFile, content: () => Promise<Buffer>): Promise<ChildAnswer> {
    if (this.#noted.length >= mediaLimits.counted) return leftOut;
    if (bytes > mediaLimits.bytes) {
      this.#noted.push({ id: `too-large-${this.#noted.length}`, bytes });
      return leftOut;
    }
    const taken = await content();
    const one = this.#note(await digestOf(taken), bytes);
    if (one.stored) return attached(one.stored);
    if (!chooseMedia(this.#noted).sent.includes(one)) return leftOut;
    const mediaType = attachedTypeOf(taken);
    if (!mediaType) return notMedia;
    const answer = await this.#store.put(this.#promptUid, taken);
    if (answer.status !== 201) return answer;
    one.stored = { digest: one.id, mediaType, fileName: plainFileName(fileName), bytes };
    return attached(one.stored);
  }

  #note(id: string, bytes: number): Noted {
    const known = this.#noted.find((one) => one.id === id);
    if (known) return known;
    const noted = { id, bytes };
    this.#noted.push(noted);
    return noted;
  }
}

function attached({ mediaType, bytes }: Report["files"][number]): ChildAnswer {
  return { status: 201, body: { attached: { mediaType, bytes } } };
}

const leftOut: ChildAnswer = {
  status: 409,
  body: {
    error:
      "the file is left out: an answer takes the first 5 different files that are attached, of at most 10 MiB each and 25 MiB together. People read how many were left out",
    code: "LeftOut",
  },
};
const notMedia: ChildAnswer = {
  status: 400,
  body: {
    error: "the file is left out: by its content it is no PNG, JPEG, WebP, GIF or MP4, whatever its name says",
    code: "NotMedia",
  },
};
const notSent: ChildAnswer = {
  status: 400,
  body: { error: "the file changed while it was read; try again", code: "InvalidRequest" },
};
