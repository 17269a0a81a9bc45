import { api, bodyOf } from "../api.ts";

export const mostImages = 6;
const mostBytes = 10 * 1_024 * 1_024;
const types = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Why these images cannot be sent together; the gateway looks at their content again. */
export function imageProblem(images: readonly Pick<File, "name" | "size" | "type">[]): string | undefined {
  if (images.length > mostImages) return `a prompt may have at most ${mostImages} images`;
  const wrongType = images.find(({ type }) => !types.includes(type));
  if (wrongType) return `${wrongType.name} is not a PNG, JPEG, WebP or GIF image`;
  const tooLarge = images.find(({ size }) => size > mostBytes);
  return tooLarge && `${tooLarge.name} is larger than 10 MiB`;
}

/** Stores an image with the session and gives what a prompt names it by. @throws Problem */
export async function uploadImage(id: string, file: File) {
  const { image } = await bodyOf(
    api.POST("/sessions/{id}/images", {
      params: { path: { id } },
      headers: { "content-type": "application/octet-stream" },
      body: "",
      bodySerializer: () => file,
    }),
  );
  return { digest: image.digest, mediaType: image.mediaType, fileName: file.name };
}
