"""Calls the catalog with zeep in strict mode: zeepClient.py WSDL ENDPOINT prints a Seen (clients.ts) as JSON."""

import json
import sys

from lxml import etree
from zeep import Client
from zeep.exceptions import Fault
from zeep.helpers import serialize_object
from zeep.plugins import HistoryPlugin

wsdl, endpoint = sys.argv[1:3]
history = HistoryPlugin()
client = Client(wsdl, plugins=[history])
((binding, _),) = client.wsdl.bindings.items()
service = client.create_service(binding, endpoint)


def folder(name):
    return serialize_object(service.GetServiceDescriptionsEx(FolderName=name), dict) or []


def fault_of(name):
    try:
        folder(name)
    except Fault as fault:
        return fault.message
    return ""


seen = {
    "version": service.GetMessageVersion(),
    "formats": service.GetMessageFormats(),
    "tokenUrl": service.GetTokenServiceURL(),
    "requiresTokens": service.RequiresTokens(),
    "folders": service.GetFolders(),
    "all": serialize_object(service.GetServiceDescriptions(), dict),
    "weather": folder("Weather"),
    "root": folder(""),
    "empty": folder("Empty"),
    "fault": fault_of("Nowhere"),
    "envelope": etree.QName(history.last_sent["envelope"]).namespace,
}
print(json.dumps(seen))
