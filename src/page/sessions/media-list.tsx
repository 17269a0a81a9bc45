import type { JSX } from "preact";
import { plainText } from "../../api/runtime/text.ts";
import { leftOutWords } from "../../domain/media/left-out-words.ts";
import type { PromptSummary } from "../api.ts";
import { Untrusted } from "../parts/text.tsx";

/** Files that the agent attached to its answer; the browser saves them and shows none. */
export function MediaList({ media, mayGet }: { media: PromptSummary["media"]; mayGet: boolean }): JSX.Element | null {
  if (!media) return null;
  const { files, leftOut } = media;
  return (
    <>
      {files.length > 0 && (
        <ul class="files" aria-label="Files of the agent">
          {files.map(({ fileName, mediaType, bytes, path }) => (
            <li key={path}>
              {mayGet ? (
                <a href={`/api${path}`} download={plainText(fileName, fileName.length)}>
                  <Untrusted text={fileName} />
                </a>
              ) : (
                <Untrusted text={fileName} />
              )}{" "}
              <span class="faint">
                {mediaType}, {bytes.toLocaleString("en")} bytes
              </span>
            </li>
          ))}
        </ul>
      )}
      {leftOut > 0 && <p class="faint">{leftOutWords({ leftOut, kept: files.length })}</p>}
    </>
  );
}
