import { z } from "zod";
import { integer, LocalReference, matching, text, withRule } from "./schema.ts";

/** A git reference name; the clone fails for further names that git refuses. */
export const BranchName = matching(
  z.string().min(1).max(255),
  /^[A-Za-z0-9_][A-Za-z0-9_./+@-]*$/,
  "must be a branch name of letters, digits and _ . / + @ -, starting with a letter, a digit or _",
);

const CommitId = matching(text(64), /^([0-9a-f]{40}|[0-9a-f]{64})$/, "must be a full commit id in lower case");

/** How a Repository is cloned. */
export const Clone = z
  .object({
    depth: integer(1, 1_000_000)
      .optional()
      .describe("depth is how many commits of a branch's history are fetched, 1 to 1,000,000; left out, all."),
    filter: matching(
      text(32),
      /^(blob:none|blob:limit=[0-9]{1,10}[kmg]?|tree:[0-9]{1,4})$/,
      "must be blob:none, blob:limit=SIZE such as blob:limit=1m, or tree:DEPTH",
    )
      .optional()
      .describe(
        "filter leaves objects out that git fetches when it needs them: blob:none, blob:limit=SIZE or tree:DEPTH, as git clone --filter takes them; left out, none are.",
      ),
    submodules: z
      .enum(["None", "Recursive"])
      .optional()
      .describe(
        "submodules says whether submodules are checked out: None, or Recursive for theirs too. Each URL needs a Repository of the session for its credential, unless it is public. Defaults to None.",
      ),
    lfs: z
      .enum(["Fetch", "Skip"])
      .optional()
      .describe(
        "lfs says what becomes of files of Git LFS: Fetch by the image's git-lfs, or Skip, so that their pointers stay. Left out, the image's git configuration decides.",
      ),
  })
  .describe("Clone is how a repository is cloned.");
export type Clone = z.infer<typeof Clone>;

/** A Repository of a session, and perhaps another branch or commit of it. */
export const RepositoryReference = withRule(
  z
    .object({
      ...LocalReference.shape,
      branch: BranchName.optional().describe(
        "branch is checked out instead of the Repository's, at most 255 characters.",
      ),
      commit: CommitId.optional().describe(
        "commit is checked out, detached: a full commit id, 40 or 64 hexadecimal digits.",
      ),
    })
    .describe("RepositoryReference names a Repository in the same namespace, and what of it is checked out."),
  {
    message: "branch and commit exclude each other",
    cel: "!has(self.branch) || !has(self.commit)",
    check: ({ branch, commit }) => branch === undefined || commit === undefined,
  },
);
export type RepositoryReference = z.infer<typeof RepositoryReference>;
