import type { ReasonMeaning } from "./meaning.ts";

/** Meanings of what becomes of Integrations, of their events, and of pull requests. */
export const integrationsMeanings = {
  Connected: { means: "The provider answers the connector." },
  ConnectorDisabled: {
    means: "The release has no connector, so nothing is called at the provider and events are not taken.",
    remedy: "Set the chart value connector.enabled to true.",
  },
  CredentialsRefused: {
    means: "The provider refuses the credentials, such as after the application was removed or its secret changed.",
    remedy: "Put valid credentials into the Secret of spec.credentialsSecretRef, and install the application again.",
  },
  AuthorizationNeeded: {
    means:
      "The credentials are right, but the application may not do what the connector asks for: it lacks a scope, its authorization was revoked, or Linear gives it no tokens by client credentials. The message says which.",
    remedy:
      "An admin of the workspace turns on client credentials in the settings of the application and authorizes it again with all scopes that its page names; then run kubectl runwright integration test.",
  },
  ScopeMissing: {
    means: "Slack refuses some calls, as the app lacks a scope; the message names it.",
    remedy:
      "Take our manifest in the app's settings again, install the app again, and where the bot's token has changed put the new one into the Secret.",
  },
  ProviderUnavailable: {
    means:
      "The provider did not answer, or not as documented; it is tried again, and after 5 tries or an hour given up.",
    remedy:
      "Look at the provider's status page and at what is between it and the connector: proxy, NetworkPolicy, DNS.",
  },
  ProviderThrottled: { means: "The provider takes no more calls for now; it is tried again when it says so." },
  AccessDenied: {
    means: "The person is on none of the Integration's access lists.",
    remedy: "Add the person, the team or the channel under the Integration's spec.access.",
  },
  TargetUnknown: {
    means: "It is not clear which Repository or Environment a request is about; the person was asked.",
    remedy:
      "Add a mapping for the issue's project or team, or for the channel, or a rule; or name the repository in the comment.",
  },
  ChoiceRefused: {
    means:
      "A person's choice of what a request is about does not count: another person asked, the list is older than an hour, or what was chosen is gone.",
    remedy: "The person who asked chooses again, or sends the request again.",
  },
  PostsGivenUp: {
    means: "Something could not be posted at the provider in 5 tries.",
    remedy: "Read the answer in the Session, and fix what the message names.",
  },
  HomeViewRefused: {
    means: "Slack refused what the app's Home tab was to show a person.",
    remedy: "Enable the Home tab under App Home in the app's settings, as our manifest does, and open the tab again.",
  },
  IntegrationNotFound: {
    means: "The Integration whose events should start Runs is not there, or is one of another provider.",
    remedy: "Create it, or name another one in the trigger's integrationRef.",
  },
  IntegrationNotReady: {
    means: "Events of the Integration start nothing for now; the message says why.",
    remedy: "See the Integration: kubectl runwright integrations.",
  },
  TargetNotServed: {
    means: "The target is none of the Integration's repositories, so no event is about it.",
    remedy: "Add the Repository to the Integration, or choose another target.",
  },
  EventsNotSubscribed: {
    means:
      "GitHub does not send the events that should start Runs, or bring feedback on pull requests, as its App is not subscribed to them.",
    remedy:
      "In the App's settings, Permissions & events, subscribe to what the message names; the organization's owner accepts new permissions.",
  },
  PullRequestsNotWatched: {
    means: "Autofix is on, and no pull request is watched, so no feedback comes.",
    remedy: "Set the Integration's github.pullRequests to Draft, Ready or OnRequest, or autofix.mode to Disabled.",
  },
  RepositoryNotServed: {
    means:
      "The Repository is in github.repositories of no Integration, or no longer, so feedback on its pull requests is not worked in.",
    remedy: "Add it to github.repositories of the Integration, or set its autofix.mode to Disabled.",
  },
  IntegrationMismatch: {
    failureOf: "platform",
    means: "The Session is not what its Integration allows: another ServiceAccount, class or target, or none is there.",
    remedy: "Ask again at the provider, so that a Session by the Integration of today is made.",
  },
  SessionStarted: { means: "The event started a Session." },
  SessionPrompted: { means: "The event became a follow-up prompt of a Session." },
  SessionStopped: { means: "The event stopped what a Session was at." },
  SessionNotStarted: {
    means: "A reply in the thread of a Run came before the Run had a session; its sender was told.",
    remedy: "Send the message again.",
  },
  StopFailed: {
    means:
      "The prompts of a Session could not be cancelled in 10 seconds, which the person was told; follow-ups still go to it.",
    remedy: "Cancel it by hand: kubectl runwright session cancel.",
  },
  NothingToDo: { means: "The event asks for nothing that can be done, such as to stop what does not run." },
  RunsStarted: { means: "The event started Runs; the message names them." },
  RunsThere: { means: "Each Automation that wants the event has a Run of it already." },
  NotWanted: {
    means: "No Automation wants the event; the message says why not.",
    remedy:
      "Change the trigger of the Automation that should want it; then redeliver the event at GitHub, or write the message again in Slack.",
  },
  TooManyUnfinishedRuns: {
    means:
      "The event waited an hour for Automations that had as many unfinished Runs as they may have, and started none.",
    remedy: "Raise maxUnfinishedRuns of the trigger, or see why Runs do not end.",
  },
  PullRequestPending: { means: "The pull request is being opened; the message says what the last try met." },
  PullRequestOpened: { means: "The connector opened the pull request." },
  PullRequestAdopted: { means: "A pull request for the same branches was there; it is this one from now on." },
  PullRequestRefused: {
    means: "GitHub does not open the pull request: it refused, or gave no answer in 5 tries.",
    remedy:
      "See that the branch is there and has commits that the base has not, and that the App may write pull requests; then ask again: kubectl runwright pull-request create SESSION.",
  },
  PullRequestNotOpened: {
    means:
      "A person pressed the button of an answer, and no pull request came of it; the message is what the person read.",
    remedy: "Do what the message says, and press the button again.",
  },
  PullRequestUpdated: { means: "The event said that a pull request had changed; its state is what GitHub now says." },
  UntrackedPullRequest: { means: "No Session of the namespace owns the pull request that the event is about." },
  FeedbackQueued: { means: "Feedback on a pull request became a Prompt of its Session." },
  AutofixDisabled: {
    means: "Feedback on pull requests of this Repository is not worked in.",
    remedy: "Set autofix.mode to Enabled on the Integration or the Repository.",
  },
  ReviewsDisabled: { means: "Reviews are not worked in.", remedy: "Set autofix.reviews to Enabled." },
  PullRequestCommentsDisabled: {
    means: "Comments on pull requests are not worked in.",
    remedy: "Set autofix.pullRequestComments to Enabled.",
  },
  PullRequestNotOpen: { means: "The pull request that the feedback is about was merged or closed." },
  AuthorLacksWritePermission: {
    means: "The author of the feedback may not write to the repository.",
    remedy: "Give the person the permission to write, or work it in yourself.",
  },
  BotNotAllowed: {
    means: "The review is of a bot that is not allowed.",
    remedy: "Add its login to autofix.allowedReviewBots.",
  },
  BotPullRequestComment: {
    means: "Comments of bots on a pull request are left alone, so that bots do not answer each other.",
  },
  OwnReviewsDisabled: {
    means: "Reviews that the App itself wrote are not worked in.",
    remedy: "Set autofix.ownReviews to Enabled.",
  },
  OwnReviewReplies: { means: "The App's own replies to comments are left alone." },
  ExplicitMention: { means: "The feedback mentions the App, and so asks for a session of its own." },
  ReviewStateNotActionable: { means: "The review asks for nothing: it approves, or was dismissed." },
  EmptyFeedback: { means: "The feedback says nothing." },
  FeedbackNotFound: { means: "GitHub has the feedback no more." },
  FeedbackTooLarge: {
    means: "The review has over 100 comments, or its text over 200,000 bytes; nothing of it was sent.",
    remedy: "Split it into several reviews.",
  },
  SessionClosed: { means: "The Session that owns the pull request is being deleted." },
  AttemptLimit: {
    means: "The pull request has had as many prompts as it may have in 24 hours.",
    remedy:
      "Raise autofix.maxAttemptsPer24Hours or set autofix.attempts to Unlimited; feedback that was skipped is not worked in later.",
  },
} as const satisfies Record<string, ReasonMeaning>;
