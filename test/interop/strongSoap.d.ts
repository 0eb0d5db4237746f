/** The package has no types. These are the ones that the tests use. */
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
