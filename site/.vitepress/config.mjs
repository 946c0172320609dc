// The documents as a site: what VitePress makes of the pages that build.sh puts together.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withMermaid } from 'vitepress-plugin-mermaid'

const pages = join(import.meta.dirname, '..', 'pages')

function title(file) {
  return readFileSync(join(pages, file), 'utf8').match(/^# (.*)$/m)[1]
}

function entry(file) {
  return { text: title(file), link: '/' + file.replace(/(index)?\.md$/, '') }
}

const results = readdirSync(join(pages, 'docs/results')).filter(file => file.endsWith('.md')).sort()
  .map(file => entry('docs/results/' + file))

/** README.md is the site's first page; what is no page, a file of the sources, is beside the pages as it is. */
function linksOfTheSite(md) {
  md.core.ruler.push('links-of-the-site', state => {
    for (const token of state.tokens.flatMap(block => block.children ?? [])) {
      const to = token.attrGet('href')
      if (to?.match(/^(\.\.\/)*README\.md(#|$)/)) {
        token.attrSet('href', to.replace('README.md', 'index.md'))
      } else if (to && !to.match(/^(#|https?:)|\.md(#|$)/)) {
        token.attrSet('target', '_self')
      }
    }
  })
}

export default withMermaid({
  title: 'Tributary',
  description: 'A global-address-space runtime for clusters',
  srcDir: 'pages',
  srcExclude: ['public/**'],
  outDir: 'site',
  head: [['style', {}, '.dark .vp-doc img { background: #f6f6f7; border-radius: 8px }']], // plots have dark letters
  markdown: { config: linksOfTheSite },
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: 'deep',
    nav: [
      { text: 'Guide', link: '/docs/guide' },
      { text: 'Operations', link: '/docs/operations' },
      { text: 'Results', link: '/docs/results' },
      { text: 'Javadoc', link: '/javadoc/index.html', target: '_self' }
    ],
    sidebar: [
      { text: 'Programs', items: ['index.md', 'docs/guide.md', 'docs/global-arrays.md'].map(entry) },
      { text: 'Jobs', items: ['docs/starting.md', 'docs/operations.md', 'docs/configuration.md'].map(entry) },
      { text: 'How it works', items: ['docs/architecture.md', 'docs/protocol.md', 'docs/fabric.md', 'CONTRIBUTING.md',
        'docs/tried.md', 'docs/history.md', 'CHANGELOG.md'].map(entry) },
      { text: 'Measured', items: [entry('docs/benchmarks.md'), entry('docs/results.md'),
        { text: 'Each', collapsed: true, items: results }] }
    ]
  }
})
