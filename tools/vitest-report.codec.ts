/** The part of vitest's JSON report that is read here. */
export interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: "passed" | "failed";
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** Reads the report's text. Vitest wrote it a moment ago, so its shape is taken for granted. */
export function decodeReport(text: string): VitestReport {
  return JSON.parse(text) as VitestReport;
}
