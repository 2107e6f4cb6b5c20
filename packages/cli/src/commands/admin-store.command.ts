import { admin } from "@hostledger/protocol";

import { parseId, parseText } from "../arguments/value-parsers.ts";
import { option, required } from "../staff/command-line.codec.ts";
import { call, noun } from "../staff/staff-table.ts";

/** `admin store …`: after the event store was restored from an older backup, sales stop until staff accept the copy. */
export const addStoreAdminCommands = noun("store", "the event store of this installation", [
  call(
    ["accept", "accept that the event store was restored from an older backup, so that sales go on"],
    admin.StoreAdminService.method.acceptStore,
    {
      inputs: {
        reason: required("--reason <text>", "why the copy is right; stored in an event", parseText),
        above: option(
          "--above <id>",
          "continue every sequence of ids above this id, if the last used id is unknown",
          parseId,
        ),
      },
      document: ({ series }) => ({ series: series === 0 ? null : series }),
      text: ({ series }) =>
        series === 0
          ? "There is nothing to accept: no process found the store restored from an older backup.\n"
          : `The store was accepted. New documents are numbered in the series R${String(series)}, and new ids leave a gap.\n`,
    },
  ),
]);
