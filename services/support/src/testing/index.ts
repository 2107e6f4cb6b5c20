export {
  openMailServer,
  startMailServer,
  type MailServer,
  type TakenMail,
} from "../notices/mail-server.fixture.ts";
export { signatureOf, startReceiver, type Received, type Receiver } from "../notices/receiver.fixture.ts";
export { handledEvents, openedBy, type Cause } from "../reads/opened-by.fixture.ts";
