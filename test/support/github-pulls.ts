import type { Endpoints } from "@octokit/types";

type PullData = Endpoints["GET /repos/{owner}/{repo}/pulls"]["response"]["data"][number];

/** A pull request as the stand-in of GitHub's API keeps it. */
export interface GitHubPull {
  number: number;
  /** OWNER/NAME in lower case. */
  repository: string;
  headRepository: string;
  head: string;
  base: string;
  title: string;
  body: string | null;
  user: { id: number; login: string };
  state: "open" | "closed";
  draft: boolean;
  /** Left out: none merged it. */
  merged_at?: string;
  /** Left out: a time long ago. */
  updated_at?: string;
}

/** The number of every repository. */
export const repositoryId = 22;

export interface GitHubReview {
  id: number;
  repository: string;
  /** Of the pull request. */
  number: number;
  body: string;
  state: string;
  user: { id: number; login: string } | null;
}

interface Answer {
  status: number;
  body: object;
}

const documentation_url = "https://docs.github.com/rest/pulls/pulls";

/** Lists as GitHub does: a `head` without an owner filters nothing. */
export function listPulls(pulls: readonly GitHubPull[], repository: string, query: URLSearchParams): Answer {
  const state = query.get("state") ?? "open";
  const base = query.get("base");
  const head = query.get("head") ?? "";
  const found = pulls
    .filter((one) => one.repository === repository && (state === "all" || one.state === state))
    .filter((one) => base === null || one.base === base)
    .filter((one) => !head.includes(":") || head.toLowerCase() === `${ownerOf(one)}:${one.head}`.toLowerCase());
  const newest = [...found].sort((left, right) => right.number - left.number);
  return { status: 200, body: pageOf(newest, query).map(shownPull) };
}

/** Opens one as GitHub does: not two for the same branches, and none of branches that are not there. */
export function createPull(
  {
    pulls,
    issues,
    branches,
  }: { pulls: GitHubPull[]; issues: readonly { number: number }[]; branches: ReadonlySet<string> },
  { repository, body, user }: { repository: string; body: Record<string, unknown>; user: GitHubPull["user"] },
): Answer {
  const { head = "", base = "", title = "", body: text = null, draft = false } = body as Partial<GitHubPull>;
  const problem = problemOf({ pulls, branches }, { repository, head, base, title, text: text ?? "" });
  if (problem !== undefined) {
    const errors = [{ resource: "PullRequest", code: "custom", message: problem }];
    return { status: 422, body: { message: "Validation Failed", errors, documentation_url, status: "422" } };
  }
  const pull: GitHubPull = {
    number: nextNumber({ pulls, issues }),
    repository,
    headRepository: repository,
    head,
    base,
    title,
    body: text,
    user,
    state: "open",
    draft,
  };
  pulls.push(pull);
  return { status: 201, body: shownPull(pull) };
}

/** Issues and pull requests share their numbers. */
export function nextNumber(known: { pulls: readonly GitHubPull[]; issues: readonly { number: number }[] }): number {
  return Math.max(0, ...[...known.pulls, ...known.issues].map(({ number }) => number)) + 1;
}

function problemOf(
  { pulls, branches }: { pulls: readonly GitHubPull[]; branches: ReadonlySet<string> },
  wanted: { repository: string; head: string; base: string; title: string; text: string },
): string | undefined {
  const { repository, head, base, title, text } = wanted;
  const isThere = pulls.some(
    (one) => one.state === "open" && one.headRepository === repository && one.head === head && one.base === base,
  );
  if (isThere) return `A pull request already exists for ${repository.split("/")[0] ?? ""}:${head}.`;
  if (!branches.has(`${repository}:${head}`)) return "head is invalid";
  if (!branches.has(`${repository}:${base}`)) return "base is invalid";
  if (title.trim() === "" || Array.from(title).length > 256) return "title is blank or too long";
  return Array.from(text).length > 65_536 ? "body is too long" : undefined;
}

function ownerOf({ headRepository }: GitHubPull): string {
  return headRepository.split("/")[0] ?? "";
}

export function shownPull(pull: GitHubPull): object {
  const { number, repository, headRepository, head, base, title, body, user, state, draft } = pull;
  const data: Pick<PullData, "id" | "number" | "html_url" | "title" | "body" | "state" | "draft" | "merged_at"> & {
    updated_at: string;
    user: { id: number; login: string };
    head: { ref: string; repo: { full_name: string } };
    base: { ref: string; repo: { id: number } };
  } = {
    id: 5_000_000_000 + number,
    number,
    html_url: `https://github.com/${repository}/pull/${number}`,
    title,
    body,
    state,
    draft,
    merged_at: pull.merged_at ?? null,
    updated_at: pull.updated_at ?? "2026-05-04T10:00:00Z",
    user: withType(user),
    head: { ref: head, repo: { full_name: headRepository } },
    base: { ref: base, repo: { id: repositoryId } },
  };
  return data;
}

export function shownReview({ id, repository, number, body, state, user }: GitHubReview): object {
  const html_url = `https://github.com/${repository}/pull/${number}#pullrequestreview-${id}`;
  return { id, body, html_url, state, user: user && withType(user) };
}

/** What a list shows of a page. */
export function pageOf<T>(all: readonly T[], query: URLSearchParams): T[] {
  const perPage = Math.min(100, Number(query.get("per_page") ?? 30));
  const page = Number(query.get("page") ?? 1);
  return all.slice((page - 1) * perPage, page * perPage);
}

/** An account as GitHub shows it: Apps are bots. */
export function withType<U extends { login: string }>(user: U): U & { type: string } {
  return { ...user, type: user.login.endsWith("[bot]") ? "Bot" : "User" };
}
