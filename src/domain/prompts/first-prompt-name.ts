/** Name of the Prompt that a Run's session begins with; the controller makes it, after the session. */
export function firstPromptName(session: string): string {
  return `${session}-1`;
}
