/** Limits of managed skills (product page 8); bytes are of UTF-8, all others are characters or counts. */
export const skillLimits = {
  name: 64,
  description: 1_024,
  license: 200,
  compatibility: 500,
  metadataKey: 100,
  metadataValue: 500,
  /** Beside SKILL.md. */
  files: 99,
  /** Of one file, SKILL.md included. */
  fileBytes: 262_144,
  /** Of SKILL.md and all files. */
  revisionBytes: 1_048_576,
  /** Of all skills of one session. */
  sessionBytes: 5_242_880,
  /** That the files of one skill come from; each is a request to the API server at every start of a session. */
  configMaps: 10,
  pathBytes: 240,
  pathSegments: 10,
} as const;

/** Names of skills that come with agents and runtimes. */
export const reservedSkillNames: readonly string[] = [
  "agent-browser",
  "record-video",
  "upload-screenshot",
  "visual-verification",
  "customize-agent",
];

export const namePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
