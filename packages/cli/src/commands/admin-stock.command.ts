import { admin } from "@hostledger/protocol";

import { parseId, parseUnits } from "../arguments/value-parsers.ts";
import { jsonInteger } from "../output/json.ts";
import { required } from "../staff/command-line.codec.ts";
import { call, noun } from "../staff/staff-table.ts";
import { stockLists } from "./admin-catalogue-lists.ts";

/** `admin stock …`: how many servers of a plan can be ordered in a region. */
export const addStockCommands = noun("stock", "units of plans in regions", [
  ...stockLists,
  call(
    ["set", "set how many units of a plan can be ordered in a region from now on"],
    admin.ServerAdminService.method.setStock,
    {
      inputs: {
        planId: required("--plan <id>", "plan id", parseId),
        regionId: required("--region <id>", "region id", parseId),
        units: required("--units <n>", "units, zero or more", parseUnits),
      },
      document: ({ units }, { planId = 0n, regionId = 0n }) => ({
        plan_id: jsonInteger(planId),
        region_id: jsonInteger(regionId),
        units,
      }),
      text: ({ units }, { planId, regionId }) =>
        `${String(units)} units of plan ${String(planId)} can be ordered in region ${String(regionId)}.\n`,
    },
  ),
]);
