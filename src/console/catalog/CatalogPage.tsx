import { useRoute } from 'wouter';
import './catalog.css';
import { CatalogList } from './list/CatalogList.tsx';
import { ServicePage } from './service/ServicePage.tsx';

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function CatalogPage() {
  const [isService, found] = useRoute('/catalog/services/:label');
  if (!isService) return <CatalogList />;
  const label = decoded(found.label);
  return <ServicePage key={label} label={label} />;
}
