-- `parplan lsp` in Neovim itself, from 0.7 on: nvim --headless -u NONE -c 'luafile tests/editors/neovim.lua'
local passed, failed = 0, 0
local function holds(what, truth, shown)
  if truth then passed = passed + 1 return end
  failed = failed + 1
  io.stdout:write(what, ': ', vim.inspect(shown):sub(1, 1500), '\n')
end

local folder = vim.fn.tempname()
vim.fn.mkdir(folder .. '/.git', 'p')
local path = folder .. '/train.yaml'
vim.fn.writefile({
  'parplan: 1', 'framework: {torchtitan: v0.2.0}', 'world: 16', 'model: llama3-8b',
  'parallelism:', '  dp_replicate: 2', '  dp_shard: -1', '  tpp: 1',
  'training:', '  seq_len: 8192', '  local_batch_size: 2',
}, path)
vim.cmd('edit ' .. path)

-- The lines of docs/editors.md, for a Neovim that has no vim.lsp.start yet, too.
local client = vim.lsp.start_client({ name = 'parplan', cmd = { os.getenv('BIN') or 'parplan', 'lsp' }, root_dir = folder })
vim.lsp.buf_attach_client(0, client)

local function codes()
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do found[diagnostic.code] = diagnostic end
  return found
end
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/' .. method, params, 20000) or {}
  local answer = answers[client] or {}
  return answer.result, answer
end
local function at(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  return vim.lsp.util.make_position_params()
end

holds('a slip is found', vim.wait(20000, function() return codes()['unknown-key'] ~= nil end), codes())
holds('at its place', codes()['unknown-key'] and codes()['unknown-key'].lnum == 7, codes())

vim.api.nvim_win_set_cursor(0, { 8, 2 })
local params = vim.lsp.util.make_range_params()
params.context = { diagnostics = {} }
local fix
for _, action in ipairs(ask('codeAction', params) or {}) do
  if action.isPreferred then fix = action end
end
holds('there is a quick fix', fix, fix)
if fix then vim.lsp.util.apply_workspace_edit(fix.edit, 'utf-16') end
holds('which takes the slip back', vim.api.nvim_buf_get_lines(0, 7, 8, false)[1] == '  tp: 1', vim.api.nvim_buf_get_lines(0, 0, -1, false))
holds('and the finding goes', vim.wait(20000, function() return codes()['unknown-key'] == nil end), codes())

local hover, whole = ask('hover', at(7, 3))
holds('hover says what -1 comes to', hover and hover.contents.value:find('It comes to 8 in a world of 16 ranks', 1, true), whole)

vim.api.nvim_buf_set_lines(0, 8, 8, false, { '  c' })
local offered = {}
for _, item in ipairs(ask('completion', at(9, 3)) or {}) do offered[item.label] = true end
holds('completion offers keys', offered.cp and not offered.dp_shard, offered)
vim.api.nvim_buf_set_lines(0, 8, 9, false, { '  cp: 2' })
holds('what is typed is judged', vim.wait(20000, function()
  local answer = ask('hover', at(7, 3))
  return answer and answer.contents.value:find('It comes to 4', 1, true) ~= nil
end))
local symbols = ask('documentSymbol', { textDocument = vim.lsp.util.make_text_document_params() })
holds('the outline has the maps', symbols and #symbols == 6, symbols)

vim.lsp.stop_client(client)
holds('the server ends', vim.wait(10000, function() return vim.lsp.client_is_stopped(client) end))
io.stdout:write(passed, ' passed, ', failed, ' failed\n')
vim.cmd(failed == 0 and 'qall!' or 'cquit 1')
