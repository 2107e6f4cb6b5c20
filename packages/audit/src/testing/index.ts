export { judgeByMustang, type Verdict } from "../documents/mustang.fixture.ts";
export { datevColumns } from "../reports/journal/datev-columns.ts";
export { datevBreaches } from "../reports/journal/datev-rules.fixture.ts";
export { balancesIn, printed } from "../reports/journal/programs.fixture.ts";
export {
  bundleSigner,
  noteOf,
  ownMetadata,
  rightEvents,
  rightLog,
} from "../verification/right-log.fixture.ts";
