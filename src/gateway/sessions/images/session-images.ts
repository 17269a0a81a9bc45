import type { PromptImage } from "../../../api/v1alpha1/prompt-image.ts";
import type { BlobStore, StoredBlob } from "../../../blobs/blob-store.ts";
import { ApiError } from "../../http/errors.ts";
import { notePlace, type SessionPlace } from "../../blobs/blob-places.ts";
import { digestOf, type ImageIdentity, imageName } from "../../../domain/images/image-key.ts";
import { mediaTypeOf } from "../../../domain/images/media-type.ts";

/** Images that a session may have: 6 for each of 50 unfinished prompts. */
export const mostImages = 300;

/**
 * Images of sessions in the blob store, below `<session UID>/images/`. Digest and type in a name were determined from the
 * content.
 */
export class SessionImages {
  readonly #blobs: Pick<BlobStore, "put" | "get" | "list">;

  constructor(blobs: Pick<BlobStore, "put" | "get" | "list">) {
    this.#blobs = blobs;
  }

  /** Stores an image once; stored content is kept as it is. @throws ApiError */
  async store(session: SessionPlace, content: Uint8Array, signal: AbortSignal): Promise<ImageIdentity> {
    const mediaType = mediaTypeOf(content);
    if (!mediaType)
      throw new ApiError("NotAnImage", "the content is no PNG, JPEG, WebP or GIF image, whatever its name says");
    const image = { digest: digestOf(content), mediaType };
    const known = await this.#names(session.sessionUid, signal);
    if (known.has(imageName(image))) return image;
    if (known.size >= mostImages)
      throw new ApiError("TooManyImages", `a session may have at most ${mostImages} images`);
    await notePlace(this.#blobs, session, signal);
    await this.#blobs.put(imagesPrefix(session.sessionUid) + imageName(image), content, { signal });
    return image;
  }

  /** The images that the session does not have. */
  async missing(sessionUid: string, images: readonly PromptImage[], signal: AbortSignal): Promise<PromptImage[]> {
    if (images.length === 0) return [];
    const known = await this.#names(sessionUid, signal);
    return images.filter((image) => !known.has(imageName(image)));
  }

  /** The content must be read to the end or destroyed; undefined when the session has no such image. */
  read(sessionUid: string, image: ImageIdentity): Promise<StoredBlob | undefined> {
    return this.#blobs.get(imagesPrefix(sessionUid) + imageName(image));
  }

  async #names(sessionUid: string, signal: AbortSignal): Promise<Set<string>> {
    const prefix = imagesPrefix(sessionUid);
    const names = new Set<string>();
    for await (const { key } of this.#blobs.list(prefix, { signal })) names.add(key.slice(prefix.length));
    return names;
  }
}

function imagesPrefix(sessionUid: string): string {
  return `${sessionUid}/images/`;
}
