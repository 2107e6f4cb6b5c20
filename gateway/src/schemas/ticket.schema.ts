import { z } from "zod";

import { line, prose } from "./text.schema.ts";
import {
  id,
  idInBody,
  inputExamples,
  otherwise,
  resourceId,
  timestamp,
  shownText,
  message,
} from "./values.schema.ts";

export const ticketPath = z.object({ ticket: resourceId.meta({ description: "Ticket id." }) });

const priorities = ["low", "normal", "emergency"] as const;
const text = prose({ minimum: 1, maximum: 5_000 }).meta({ examples: ["My server does not answer."] });

/** Body of `POST /tickets`. */
export const openTicketBody = z.object({
  title: line({ minimum: 1, maximum: 255 }).meta({ examples: ["No answer"] }),
  message: text,
  priority: z.enum(priorities, { error: otherwise("must be low, normal or emergency") }).default("normal"),
  server_id: idInBody.nullish().meta({ description: "The server it is about.", ...inputExamples(1) }),
});

/** Body of `POST /tickets/{ticket}/reply`. */
export const replyBody = z.object({ message: text });

const ticketFields = z.object({
  id,
  title: shownText("No answer"),
  status: z.string().meta({ enum: ["open", "closed"] }),
  priority: z.string().meta({ enum: priorities, examples: ["normal"] }),
  server_id: id.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});

export const ticket = ticketFields.meta({ id: "Ticket", description: "A support ticket." });

export const ticketList = z.array(ticket);

export const comment = z
  .object({
    id,
    comment: shownText("It answers again."),
    user: z.object({ id: z.int().nonnegative(), name: shownText("Ada Lovelace") }),
    staff: z.boolean().meta({ description: "Written by the provider's staff.", examples: [false] }),
    created_at: timestamp,
  })
  .meta({ id: "Comment", description: "A comment on a ticket." });

/** Answer of `GET /tickets/{ticket}`. */
export const ticketWithComments = ticketFields
  .extend({
    message: shownText("My server does not answer.", "What it was opened with."),
    comments: z.array(comment).meta({ description: "Oldest first." }),
  })
  .meta({ id: "TicketWithComments", description: "A ticket with what was written about it." });

/** Answer of `POST /tickets` and `POST /tickets/{ticket}/close`. */
export const changedTicket = z.object({ status: z.literal(true), message, ticket });

/** Answer of `POST /tickets/{ticket}/reply`. */
export const addedComment = changedTicket.extend({ comment });
