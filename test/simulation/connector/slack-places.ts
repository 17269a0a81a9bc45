import { secretPrefix } from "../places.ts";

/** The workspace, what is in it, and with which secrets; no object but a Secret may hold these. */
export const slackPlaces = {
  team: "T0ACME",
  bot: "U0BOT",
  person: "U0ANN",
  channel: "C0OPS",
  /** Name of the Integration. */
  integration: "chat",
  botToken: `${secretPrefix}-of-the-bot`,
  signingSecret: `${secretPrefix}-of-signatures`,
} as const;
