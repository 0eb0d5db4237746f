/** As much of it as the tests call; it comes without types. */
declare module 'strong-soap' {
  interface StrongClient {
    readonly lastRequest: string;
    setEndpoint(endpoint: string): void;
    readonly [operation: string]: unknown;
  }

  interface StrongOptions {
    readonly forceSoapVersion: '1.1' | '1.2';
    readonly WSDL_CACHE: object;
  }

  const strong: {
    readonly soap: {
      createClient(
        wsdl: string,
        options: StrongOptions,
        done: (error: Error | null, client: StrongClient) => void,
      ): void;
    };
  };
  export default strong;
}
