import { admin } from "@hostledger/protocol";

import { parseText } from "../arguments/value-parsers.ts";
import { required } from "../staff/command-line.codec.ts";
import { call, noun } from "../staff/staff-table.ts";
import { regionLists } from "./admin-catalogue-lists.ts";

/** `admin region …`: where servers can be placed. */
export const addRegionCommands = noun("region", "regions in which servers can be placed", [
  ...regionLists,
  call(["add", "add a region"], admin.ServerAdminService.method.addRegion, {
    inputs: {
      code: required("--code <code>", "short code, for example fra", parseText),
      location: required("--location <place>", "name of the place", parseText),
    },
    text: ({ regionId }, { code = "" }) => `Region ${String(regionId)} (${code}) is there.\n`,
  }),
]);
