import { z } from "zod";
import { atomicOf, LocalReference, matching, notBlank, text } from "./schema.ts";
import { Target } from "./targets.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const LinearId = matching(text(36), uuid, "must be an id of Linear's, a UUID in lower case");

const ProjectMapping = z
  .object({
    id: LinearId.describe("id is the UUID that Linear's API gives for the project."),
    target: Target.describe("target is what sessions for the project's issues work on."),
  })
  .describe("ProjectMapping says what sessions for the issues of a project work on.");

const TeamMapping = z
  .object({
    key: matching(text(16), /^[A-Z0-9]+$/, "must be a team's key, such as ENG: upper-case letters and digits").describe(
      "key is the team's key, with which its issues begin, such as ENG; at most 16 characters.",
    ),
    label: notBlank(text(255))
      .optional()
      .describe(
        "label limits the entry to issues with this label, compared without case, at most 255 characters; an entry with a label goes before one without.",
      ),
    target: Target.describe("target is what sessions for the team's issues work on."),
  })
  .describe("TeamMapping says what sessions for the issues of a team work on.");

export const LinearSettings = z
  .object({
    organizationID: LinearId.describe("organizationID is the id of the workspace; events of others are refused."),
    repositories: atomicOf(z.array(LocalReference).max(100))
      .default([])
      .describe(
        "repositories are the Repositories of the same namespace that requests may be about, at most 100; one is named in a comment as in its URL (owner/name), or Linear suggests it. Defaults to none: then only mappings count.",
      ),
    projects: atomicOf(z.array(ProjectMapping).max(100))
      .default([])
      .describe("projects map projects to targets, at most 100; they go before teams. Defaults to none."),
    teams: atomicOf(z.array(TeamMapping).max(100))
      .default([])
      .describe("teams map teams to targets, at most 100. Defaults to none."),
  })
  .describe("LinearSettings are what an Integration of type Linear needs.");
export type LinearSettings = z.infer<typeof LinearSettings>;
