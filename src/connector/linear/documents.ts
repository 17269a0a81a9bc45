import type { LinearDocument as Linear } from "@linear/sdk";
import { z } from "zod";

/** A GraphQL operation; what goes in and comes back has the types of Linear's own SDK, and is parsed when it comes back. */
export interface Operation<Data, Variables> {
  readonly name: string;
  readonly text: string;
  readonly answer: z.ZodType<Data>;
  /** Only for the type checker; never set. */
  readonly variables?: Variables;
}

const Id = z.object({ id: z.string() });
const Named = z.object({ id: z.string(), name: z.string() });
const Success = z.object({ success: z.boolean() });

type Named<T extends { id: string; name: string }> = Pick<T, "id" | "name">;

const Comment = z.object({ id: z.string(), body: z.string(), createdAt: z.string(), user: Id.nullish() });
const Issue = z.object({
  id: z.string(),
  identifier: z.string(),
  url: z.string(),
  title: z.string(),
  description: z.string().nullish(),
  priorityLabel: z.string(),
  team: Id,
  state: Id,
  project: Id.nullish(),
  assignee: Id.nullish(),
  labels: z.object({ nodes: z.array(Named) }),
  first: z.object({ nodes: z.array(Comment) }),
  last: z.object({ nodes: z.array(Comment) }),
});

/** Fields of an issue; names of what it refers to are asked for by {@link issueNames}. */
export interface IssueFields extends Pick<Linear.Issue, "id" | "identifier" | "url" | "title" | "priorityLabel"> {
  description?: string | null | undefined;
  team: Pick<Linear.Team, "id">;
  state: Pick<Linear.WorkflowState, "id">;
  project?: Pick<Linear.Project, "id"> | null | undefined;
  assignee?: Pick<Linear.User, "id"> | null | undefined;
  labels: { nodes: Named<Linear.IssueLabel>[] };
  /** Which end of the list has the newest is not documented, so both are read. */
  first: { nodes: CommentFields[] };
  last: { nodes: CommentFields[] };
}
export type CommentFields = Pick<Linear.Comment, "id" | "body"> & {
  createdAt: string;
  user?: Pick<Linear.User, "id"> | null | undefined;
};

const comment = "nodes { id body createdAt user { id } }";

export const readIssue: Operation<{ issue: IssueFields }, { id: string }> = {
  name: "issue",
  answer: z.object({ issue: Issue }),
  text: `query issue($id: String!) {
  issue(id: $id) {
    id identifier url title description priorityLabel
    team { id } state { id } project { id } assignee { id }
    labels(first: 50) { nodes { id name } }
    first: comments(first: 5) { ${comment} }
    last: comments(last: 5) { ${comment} }
  }
}`,
};

/** Names of what an issue refers to; an id that is left out gives null. */
export const issueNames: Operation<
  {
    workflowState: Pick<Linear.WorkflowState, "id" | "type">;
    project?: Named<Linear.Project> | null | undefined;
    user?: Named<Linear.User> | null | undefined;
  },
  { state: string; project: string; hasProject: boolean; user: string; hasUser: boolean }
> = {
  name: "issueNames",
  answer: z.object({
    workflowState: z.object({ id: z.string(), type: z.string() }),
    project: Named.nullish(),
    user: Named.nullish(),
  }),
  text: `query issueNames($state: String!, $project: String!, $hasProject: Boolean!, $user: String!, $hasUser: Boolean!) {
  workflowState(id: $state) { id type }
  project(id: $project) @include(if: $hasProject) { id name }
  user(id: $user) @include(if: $hasUser) { id name }
}`,
};

export const suggestRepositories: Operation<
  {
    issueRepositorySuggestions: {
      suggestions: (Pick<Linear.RepositorySuggestion, "repositoryFullName" | "confidence"> & {
        hostname?: string | null | undefined;
      })[];
    };
  },
  { issueId: string; agentSessionId: string; candidateRepositories: Linear.CandidateRepository[] }
> = {
  name: "suggestRepositories",
  answer: z.object({
    issueRepositorySuggestions: z.object({
      suggestions: z.array(
        z.object({ repositoryFullName: z.string(), hostname: z.string().nullish(), confidence: z.number() }),
      ),
    }),
  }),
  text: `query suggestRepositories($issueId: String!, $agentSessionId: String, $candidateRepositories: [CandidateRepository!]!) {
  issueRepositorySuggestions(issueId: $issueId, agentSessionId: $agentSessionId, candidateRepositories: $candidateRepositories) {
    suggestions { repositoryFullName hostname confidence }
  }
}`,
};

export const createActivity: Operation<
  { agentActivityCreate: { success: boolean } },
  { input: Linear.AgentActivityCreateInput }
> = {
  name: "createActivity",
  answer: z.object({ agentActivityCreate: Success }),
  text: `mutation createActivity($input: AgentActivityCreateInput!) {
  agentActivityCreate(input: $input) { success }
}`,
};

export const findActivity: Operation<{ agentActivity: { id: string } }, { id: string }> = {
  name: "findActivity",
  answer: z.object({ agentActivity: Id }),
  text: `query findActivity($id: String!) {
  agentActivity(id: $id) { id }
}`,
};

/** States in which work on an issue of a team has begun. */
export const startedStates: Operation<
  { team: { states: { nodes: Pick<Linear.WorkflowState, "id" | "type" | "position">[] } } },
  { id: string }
> = {
  name: "startedStates",
  answer: z.object({
    team: z.object({
      states: z.object({ nodes: z.array(z.object({ id: z.string(), type: z.string(), position: z.number() })) }),
    }),
  }),
  text: `query startedStates($id: String!) {
  team(id: $id) { states(first: 50, filter: { type: { eq: "started" } }) { nodes { id type position } } }
}`,
};

export const moveIssue: Operation<
  { issueUpdate: { success: boolean } },
  { id: string; input: Pick<Linear.IssueUpdateInput, "stateId"> }
> = {
  name: "moveIssue",
  answer: z.object({ issueUpdate: Success }),
  text: `mutation moveIssue($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { success }
}`,
};

export const readOrganization: Operation<{ organization: Pick<Linear.Organization, "id" | "name"> }, object> = {
  name: "organization",
  answer: z.object({ organization: Named }),
  text: `query organization {
  organization { id name }
}`,
};
