import type { Integration, IntegrationEvent, Post, Target } from "../../api/v1alpha1/index.ts";

/**
 * What an event asks for: `Created` always starts a session, `Prompted` where there is none; `Chosen` answers a question,
 * `Test` asks whether the provider answers.
 */
export type Ask = "Created" | "Prompted" | "Stopped" | "Chosen" | "Test";

/** What differs between providers where it is decided what becomes of an event. */
export interface ProviderRules {
  /** What an event is about; events of one subject belong to one Conversation. */
  subjectOf(event: IntegrationEvent): string;
  askOf(event: IntegrationEvent): Ask;
  mayAsk(spec: Pick<Integration["spec"], "access" | "slack" | "github">, event: IntegrationEvent): boolean;
  /** What is said to a person who may not ask; left out where nothing is said of requests that are refused. */
  accessDenied?: string;
  /** What is said to a person whose request holds nothing to work on; undefined for all other requests. */
  helpFor?: (event: IntegrationEvent) => string | undefined;
  /** Who asked, as Events and people see it. */
  requesterOf(integration: Integration, event: IntegrationEvent): string;
  /** Whether a follow-up begins the 7 days of a mapping again. */
  slides: boolean;
  /** Text of a follow-up's prompt; undefined where it needs what the provider knows. */
  followUpText?: (event: IntegrationEvent, lastAnswer: string | undefined) => string;
  /** Where a post about an event is shown. */
  placeOf(event: IntegrationEvent): Pick<Post, "agentSessionID" | "slack" | "github">;
  /** What a new session posts beside its answer. */
  startPosts(event: IntegrationEvent, sessionName: string, target: Target): StartPost[];
  /** Whether people see what a request is at, until it is done. */
  showsProgress: boolean;
  /** Whether the provider takes an agent for gone that says nothing for half an hour. */
  wantsSigns?: boolean;
  /** The message up to which prompts have the conversation, where messages have times. */
  timeOf?: (event: IntegrationEvent) => string | undefined;
}

export type StartPost = Pick<Post, "kind" | "progress" | "sessionName" | "text">;
