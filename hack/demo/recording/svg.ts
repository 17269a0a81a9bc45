import type { Frame } from "./frames.ts";

const columns = 118;
const rows = 30;
const lineHeight = 17;
const margin = 14;
const width = 2 * margin + Math.ceil(columns * 7.25);
const height = 2 * margin + rows * lineHeight;
/** How long the last screen stays before it begins again, in seconds. */
const rest = 8;

/**
 * An SVG of a terminal in which the lines come one after the other and move up, for ever; people who want no motion see the last
 * screen. Lines are cut at 118 characters.
 */
export function terminal(frames: readonly Frame[], title: string): string {
  const total = (frames.at(-1)?.at ?? 0) + rest;
  const steps = frames.map(({ at }, index) => `${percent(at, total)}{transform:translateY(${offset(index)}px)}`);
  const lines = frames.map(({ text }, index) => lineOf(text, index)).filter((line) => line !== "");
  const last = `translateY(${offset(frames.length - 1)}px)`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#c9d1d9;white-space:pre}
.step{fill:#79c0ff;font-weight:bold}
.shown{fill:#a5d6a7}
.lines{transform:${last};animation:move ${total.toFixed(2)}s step-end infinite}
@keyframes move{0%{transform:translateY(${offset(-1)}px)}${steps.join("")}100%{transform:${last}}}
@media (prefers-reduced-motion:reduce){.lines{animation:none}}
</style>
<clipPath id="screen"><rect x="0" y="${margin}" width="${width}" height="${rows * lineHeight}"/></clipPath>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<g clip-path="url(#screen)"><g class="lines">
${lines.join("\n")}
</g></g>
</svg>
`;
}

/** How far the lines have moved up when that one is the lowest of the screen. */
function offset(index: number): number {
  return (rows - 1 - index) * lineHeight;
}

function percent(at: number, total: number): string {
  return `${((at / total) * 100).toFixed(3)}%`;
}

function lineOf(text: string, index: number): string {
  if (text.trim() === "") return "";
  const kind = /^\[.*?\] == /.test(text) ? ' class="step"' : /^ +\| /.test(text) ? ' class="shown"' : "";
  const cut = text.length > columns ? `${text.slice(0, columns - 1)}…` : text;
  return `<text x="${margin}" y="${margin + 12 + index * lineHeight}"${kind} xml:space="preserve">${escaped(cut)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
