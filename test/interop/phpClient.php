<?php
// Calls the catalog with PHP's SoapClient: phpClient.php WSDL ENDPOINT 1.1|1.2 prints a Seen (clients.ts) as JSON.
declare(strict_types=1);

[, $wsdl, $endpoint, $version] = $argv;
$client = new SoapClient($wsdl, [
    'location' => $endpoint,
    'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
    'cache_wsdl' => WSDL_CACHE_NONE,
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
    'trace' => true,
]);

function folder(SoapClient $client, string $name): array
{
    $answer = $client->GetServiceDescriptionsEx(['FolderName' => $name]);
    return $answer->ServiceDescriptions->ServiceDescription ?? [];
}

function faultOf(SoapClient $client, string $name): string
{
    try {
        folder($client, $name);
    } catch (SoapFault $fault) {
        return $fault->getMessage();
    }
    return '';
}

$seen = [
    'version' => $client->GetMessageVersion()->MessageVersion,
    'formats' => $client->GetMessageFormats()->MessageFormats,
    'tokenUrl' => $client->GetTokenServiceURL()->TokenServiceURL,
    'requiresTokens' => $client->RequiresTokens()->Result,
    'folders' => $client->GetFolders()->FolderNames->String,
    'all' => $client->GetServiceDescriptions()->ServiceDescriptions->ServiceDescription,
    'weather' => folder($client, 'Weather'),
    'root' => folder($client, ''),
    'empty' => folder($client, 'Empty'),
    'fault' => faultOf($client, 'Nowhere'),
];
preg_match('/:Envelope xmlns:[\w-]+="([^"]*)"/', $client->__getLastRequest(), $found);
$seen['envelope'] = $found[1];
echo json_encode($seen, JSON_THROW_ON_ERROR);
