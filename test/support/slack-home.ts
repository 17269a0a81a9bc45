import type { KnownBlock } from "@slack/types";

/** A view that a person sees in the Home tab. */
export interface PublishedHome {
  hash: string;
  blocks: KnownBlock[];
}

/** Home tabs of the app, as Slack keeps them. */
export interface SlackHomes {
  /** Whether the app has a Home tab. */
  isEnabled: boolean;
  /** What people see, by their ids. */
  readonly views: Map<string, PublishedHome>;
  /** How often views were replaced, by the person's id. */
  readonly published: string[];
  /** What `views.publish` answers, or Slack's code of why not. */
  publish(form: URLSearchParams): { view: { hash: string } } | string;
}

const longestViewBytes = 250 * 1_024;
const mostBlocks = 100;
const headerCharacters = 150;
const sectionCharacters = 3_000;

export function slackHomes(): SlackHomes {
  let hashes = 0;
  const homes: SlackHomes = {
    isEnabled: true,
    views: new Map(),
    published: [],
    publish(form) {
      if (!homes.isEnabled) return "not_enabled";
      const user = form.get("user_id") ?? "";
      const sent = form.get("view") ?? "";
      if (!/^[UW][A-Z0-9]+$/.test(user)) return "user_not_found";
      if (Buffer.byteLength(sent) > longestViewBytes) return "view_too_large";
      const { type, blocks } = JSON.parse(sent) as { type: string; blocks: KnownBlock[] };
      if (type !== "home" || blocks.length > mostBlocks || !blocks.every(isRight)) return "invalid_arguments";
      // An empty hash is compared, too.
      if (form.has("hash") && form.get("hash") !== homes.views.get(user)?.hash) return "hash_conflict";
      hashes += 1;
      const hash = `${Math.floor(Date.now() / 1_000)}.${String(hashes).padStart(8, "0")}`;
      homes.views.set(user, { hash, blocks });
      homes.published.push(user);
      return { view: { hash } };
    },
  };
  return homes;
}

function isRight(block: KnownBlock): boolean {
  if (block.type === "header") return isWithin(block.text.text, headerCharacters);
  return block.type === "section" && isWithin(block.text?.text ?? "", sectionCharacters);
}

function isWithin(text: string, most: number): boolean {
  return text !== "" && Array.from(text).length <= most;
}
