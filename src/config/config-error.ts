/** A user and password in a URL, or in what was meant to be one. */
const userinfo = /\/\/[^/\s]*@/g;

/** A variable that cannot be used, said with its name, its value, what it must be and its default. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(variable: string, value: string | undefined, problem: string, fallback: string) {
    const given = value === undefined ? "is not set" : `is ${JSON.stringify(value.replace(userinfo, "//***@"))}`;
    super(`${variable} ${given}, but ${problem}; ${fallback}`);
  }
}
