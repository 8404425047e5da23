-- Drives the server as a Neovim user would: opens a file, traces it, looks at diagnostics and hovers.
-- Arguments come from the environment; what was seen goes to $RESULT as JSON.

local function fail(message)
  io.stderr:write(message .. "\n")
  vim.cmd("cquit 1")
end

local seen = { messages = {}, progress = {} }

local function main()
  local file = os.getenv("SCRIPT")
  vim.cmd("edit " .. vim.fn.fnameescape(file))
  local buffer = vim.api.nvim_get_current_buf()

  local client_id = vim.lsp.start_client({
    name = "compilescope",
    cmd = vim.split(os.getenv("SERVER"), "\n"),
    root_dir = vim.fn.fnamemodify(file, ":h"),
    init_options = { python = os.getenv("PYTHON") },
    handlers = {
      ["$/progress"] = function(_, result)
        table.insert(seen.progress, result.value.kind)
      end,
      ["window/showMessage"] = function(_, result)
        table.insert(seen.messages, result.message)
      end,
    },
  })
  if not client_id then
    return fail("the server did not start")
  end
  vim.lsp.buf_attach_client(buffer, client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  if not vim.wait(20000, function() return client.initialized end, 20) then
    return fail("the server did not answer initialize")
  end
  seen.commands = client.server_capabilities.executeCommandProvider.commands
  seen.lenses = client.server_capabilities.codeLensProvider ~= nil

  local answer, problem = client.request_sync("workspace/executeCommand", {
    command = "compilescope.server.trace",
    arguments = { { script = file } },
  }, 240000, buffer)
  if not answer or answer.err then
    return fail("the trace failed: " .. vim.inspect(answer or problem))
  end
  seen.trace = answer.result
  vim.wait(10000, function() return #vim.diagnostic.get(buffer) > 0 end, 20)

  seen.diagnostics = {}
  for _, one in ipairs(vim.diagnostic.get(buffer)) do
    local hover = client.request_sync("textDocument/hover", {
      textDocument = { uri = vim.uri_from_bufnr(buffer) },
      position = { line = one.lnum, character = one.col },
    }, 5000, buffer)
    table.insert(seen.diagnostics, {
      line = one.lnum, column = one.col, end_line = one.end_lnum, end_column = one.end_col,
      text = vim.api.nvim_buf_get_lines(buffer, one.lnum, one.lnum + 1, false)[1]:sub(one.col + 1, one.end_col),
      severity = one.severity, source = one.source, message = one.message,
      code = one.user_data and one.user_data.lsp and one.user_data.lsp.code or one.code,
      hover = hover and hover.result and hover.result.contents.value or vim.NIL,
    })
  end

  -- The edit that mends it: the diagnostics must go with the next trace.
  local mended = os.getenv("MENDED")
  if mended then
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.fn.readfile(mended))
    vim.cmd("silent write")
    client.request_sync("workspace/executeCommand", {
      command = "compilescope.server.trace",
      arguments = { { script = file } },
    }, 240000, buffer)
    vim.wait(10000, function() return #vim.diagnostic.get(buffer) == 0 end, 20)
    seen.left = #vim.diagnostic.get(buffer)
  end
  vim.lsp.stop_client(client_id)
  vim.wait(5000, function() return vim.lsp.client_is_stopped(client_id) end, 20)
  seen.stopped = vim.lsp.client_is_stopped(client_id)
end

local ok, message = xpcall(main, debug.traceback)
vim.fn.writefile({ vim.fn.json_encode(seen) }, os.getenv("RESULT"))
if not ok then
  fail(message)
end
vim.cmd("qall!")
