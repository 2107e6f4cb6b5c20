export { startTwoNodes, type TwoNodes } from "../client/changing-leader.fixture.ts";
