-- A real client: `nvim --headless -u NONE -l`-like, for Neovim from 0.7 on: CHIARO=path nvim --headless -u NONE -S neovim.lua
-- Each step says what it wants; the first that fails ends the run with code 1.

local command = os.getenv('CHIARO') or 'chiaro'
local root = os.getenv('ROOT') or '.'

local function fail(text)
  io.stderr:write('FAILED: ' .. text .. '\n')
  vim.cmd('cquit 1')
end

local function check(what, ok)
  if not ok then fail(what) end
  io.stdout:write('ok: ' .. what .. '\n')
end

local function wait(what, done)
  check(what, vim.wait(20000, done, 20))
end

local client = vim.lsp.start_client({
  cmd = { command, 'lsp' },
  root_dir = root,
  init_options = { targets = { 'agx' } },
  get_language_id = function(_, filetype) return filetype end,
})
check('the server starts', client ~= nil)

-- Opens a text in a buffer of a language.
local function open(name, language, lines)
  local buffer = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_buf_set_name(buffer, root .. '/' .. name)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.api.nvim_buf_set_option(buffer, 'filetype', language)
  vim.api.nvim_set_current_buf(buffer)
  vim.lsp.buf_attach_client(buffer, client)
  wait('attached to ' .. name, function()
    local attached = vim.lsp.get_client_by_id(client)
    return attached and attached.initialized
  end)
  return buffer
end

-- Asks at a place of the current buffer, from 1 and 0 as cursors are.
local function ask(method, line, column, more)
  vim.api.nvim_win_set_cursor(0, { line, column })
  local params = vim.tbl_extend('force', vim.lsp.util.make_position_params(0, 'utf-16'), more or {})
  local answers = vim.lsp.buf_request_sync(0, method, params, 10000)
  local answer = answers and answers[client]
  if not answer or answer.error or answer.err then fail(method .. ': ' .. vim.inspect(answers)) end
  return answer.result
end

local shader = open('first.frag', 'glsl', {
  '#version 300 es', 'precision highp float;', 'uniform vec4 tint;', 'out vec4 shown;',
  'float twice(float a) { return 2.0 * a; }', 'void main() {', '    shown = tint * twice(tnit.x);', '}',
})
wait('an error as one types', function() return #vim.diagnostic.get(shader) == 1 end)
check('its place', vim.diagnostic.get(shader)[1].lnum == 6 and vim.diagnostic.get(shader)[1].col == 25)
vim.api.nvim_buf_set_text(shader, 6, 25, 6, 29, { 'tint' })
wait('no error behind the repair', function() return #vim.diagnostic.get(shader) == 0 end)
check('hover', vim.inspect(ask('textDocument/hover', 7, 20)):find('float twice') ~= nil)
check('definition', ask('textDocument/definition', 7, 20)[1].range.start.line == 4)
check('references', #ask('textDocument/references', 3, 14, { context = { includeDeclaration = true } }) == 3)
check('completion', #ask('textDocument/completion', 7, 16) > 10)
check('symbols', #ask('textDocument/documentSymbol', 1, 0) == 4)
vim.lsp.util.apply_workspace_edit(ask('textDocument/rename', 3, 14, { newName = 'colour' }), 'utf-16')
check('rename', vim.api.nvim_buf_get_lines(shader, 6, 7, false)[1] == '    shown = colour * twice(colour.x);')
wait('no error behind the new name', function() return #vim.diagnostic.get(shader) == 0 end)

local assembly = open('first.v.pica', 'pica200', {
  '.in p', '.out q position', '.proc main', 'mov   q,p', 'jmpu b0,done', 'done:', 'end', '.end',
})
wait('an instruction is explained', function()
  return vim.inspect(ask('textDocument/hover', 4, 1)):find('opcode') ~= nil
end)
check('a label', ask('textDocument/definition', 5, 10)[1].range.start.line == 5)
local edits = ask('textDocument/formatting', 1, 0, { options = { tabSize = 4, insertSpaces = true } })
vim.lsp.util.apply_text_edits(edits, assembly, 'utf-16')
check('formatted', vim.api.nvim_buf_get_lines(assembly, 3, 4, false)[1] == '    mov q, p')

-- Text by text: what Neovim sends as edits is what the server has.
math.randomseed(1)
local pieces = { 'x', '', '\n', 'é', '𝄞', '(', '}', ' ', 'vec3', '/*', '\n\n' }
for _ = 1, 300 do
  local line = math.random(0, vim.api.nvim_buf_line_count(shader) - 1)
  local text = vim.api.nvim_buf_get_lines(shader, line, line + 1, false)[1]
  -- Only starts of characters are places.
  local starts = vim.str_utf_pos and vim.str_utf_pos(text) or {}
  local column = #starts > 0 and starts[math.random(#starts)] - 1 or 0
  vim.api.nvim_buf_set_text(shader, line, column, line, column, vim.split(pieces[math.random(#pieces)], '\n'))
end
vim.api.nvim_set_current_buf(shader)
local answers = vim.lsp.buf_request_sync(shader, 'chiaro/text', vim.lsp.util.make_text_document_params and { textDocument = vim.lsp.util.make_text_document_params(shader) }, 10000)
local text = table.concat(vim.api.nvim_buf_get_lines(shader, 0, -1, false), '\n') .. '\n'
check('the server has the same text', answers[client].result.text == text)
check('the server is still there', not vim.lsp.client_is_stopped(client))
vim.cmd('qall!')
