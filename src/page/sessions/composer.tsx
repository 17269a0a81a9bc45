import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { api, bodyOf, Problem } from "../api.ts";
import { freshId } from "../browser-clock.ts";
import { ActionProblem, useAction } from "../parts/action.tsx";
import { imageProblem, mostImages, uploadImage } from "./images.ts";

/** Sends prompts with up to six images. */
export function Composer({ id, onSent }: { id: string; onSent: () => void }): JSX.Element {
  const field = useId();
  const files = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [images, setImages] = useState<readonly File[]>([]);
  // The same request again, after an answer that did not come, is the same prompt; one that was changed is another.
  const [requestId, setRequestId] = useState(freshId);
  const { isBusy, problem, run } = useAction();
  const send = async (): Promise<void> => {
    const uploaded = [];
    for (const file of images) uploaded.push(await uploadImage(id, file));
    await bodyOf(
      api.POST("/sessions/{id}/prompts", {
        params: { path: { id } },
        body: { text, clientRequestId: requestId, ...(uploaded.length > 0 && { images: uploaded }) },
      }),
    );
    change({ text: "", images: [] });
    onSent();
  };
  const add = (added: readonly File[]): void =>
    run(async () => {
      const all = [...images, ...added];
      const wrong = imageProblem(all);
      if (wrong !== undefined) throw new Problem(0, wrong);
      change({ images: all });
      await Promise.resolve();
    });
  const change = (next: { text?: string; images?: readonly File[] }): void => {
    if (next.text !== undefined) setText(next.text);
    if (next.images) setImages(next.images);
    setRequestId(freshId());
  };
  const isEmpty = text.trim() === "" && images.length === 0;
  return (
    <form
      class="composer card"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty) run(send);
      }}
    >
      <label for={field}>Next prompt</label>
      <textarea
        id={field}
        rows={3}
        value={text}
        placeholder="What the agent should do next"
        onInput={(event) => change({ text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
        }}
        onPaste={(event) => {
          const pasted = [...(event.clipboardData?.files ?? [])];
          if (pasted.length > 0) add(pasted);
        }}
      />
      <ul class="images">
        {images.map((image, index) => (
          <li key={index}>
            {image.name}
            <button
              type="button"
              class="small"
              aria-label={`Remove ${image.name}`}
              onClick={() => change({ images: images.filter((one) => one !== image) })}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy || isEmpty}>
          Send
        </button>
        <button type="button" disabled={images.length >= mostImages} onClick={() => files.current?.click()}>
          Add images…
        </button>
        <input
          ref={files}
          type="file"
          class="hidden"
          tabIndex={-1}
          aria-label="Images"
          accept="image/png,image/jpeg,image/webp,image/gif"
          multiple
          onChange={(event) => {
            add([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
        <span class="hint">Ctrl+Enter sends</span>
      </div>
      <ActionProblem problem={problem} />
    </form>
  );
}
