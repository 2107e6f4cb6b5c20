import { describeOperations } from "./document.ts";
import { describedOperations } from "./unreachable.ts";

/** Renders gateway/openapi.json: the document that `/api/v1/openapi.json` serves. */
export function renderOpenApiDocument(): string {
  return `${JSON.stringify(describeOperations(describedOperations()), null, 2)}\n`;
}
