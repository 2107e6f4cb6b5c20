import { noticeKinds } from "@hostledger/rpc";
import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";

import { noticeSchemas } from "../schemas/notice.schema.ts";
import { timestamp } from "../schemas/values.schema.ts";

const headers = z.object({
  "webhook-id": z.string().meta({
    description: "The notice: the same at every attempt, and whenever it is sent again.",
  }),
  "webhook-timestamp": z.string().meta({ description: "When this attempt was made, in seconds since 1970." }),
  "webhook-signature": z.string().meta({
    description:
      "`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`; two of them, parted by a space, for a day after a rotation.",
  }),
});

/** Describes every notice as a request that receivers get. */
export function describeNotices(): ZodOpenApiPathsObject {
  return Object.fromEntries(
    noticeKinds.map((kind) => {
      const [summary, data] = noticeSchemas[kind];
      const body = z.object({ type: z.literal(kind), timestamp, data });
      const post = {
        operationId: `on${kind
          .split(/[._]/u)
          .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
          .join("")}`,
        tags: ["Webhooks"],
        summary,
        security: [],
        requestParams: { header: headers },
        requestBody: { required: true, content: { "application/json": { schema: body } } },
        responses: {
          "2XX": {
            description:
              "Taken; anything else, or nothing within 20 seconds, is tried again for three days. 410 disables the webhook; `Retry-After` of 429 and 503 is obeyed, up to a day.",
          },
        },
      };
      return [kind, { post }] as const;
    }),
  );
}
