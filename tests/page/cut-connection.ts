// A page whose connection to its host can be cut, and joined again.
import type { Page } from "playwright-core";

/** The connection of a page. */
export interface CuttableConnection {
  /** Closes the connection, and refuses others and every request over HTTP. */
  cut(): Promise<void>;
  join(): Promise<void>;
}

const requests = /\/(?:sdk|admin)\//;

/** Stands between a page, before it goes to its address, and its host. */
export async function cuttableConnection(page: Page): Promise<CuttableConnection> {
  let isCut = false;
  let close = async (): Promise<void> => {};
  await page.routeWebSocket(/./, (socket) => {
    if (isCut) {
      void socket.close();
      return;
    }
    socket.connectToServer();
    close = () => socket.close();
  });
  return {
    async cut() {
      isCut = true;
      await page.route(requests, (route) => route.abort());
      await close();
      await page.getByText("Disconnected. Reconnecting…").waitFor();
    },
    async join() {
      isCut = false;
      await page.unroute(requests);
    },
  };
}
