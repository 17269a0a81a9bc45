package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// How long Argo CD lets a script run.
const scriptLimit = time.Second

// The health codes that Argo CD knows; any other becomes Unknown there.
var argoCodes = map[string]bool{"Healthy": true, "Progressing": true, "Suspended": true, "Degraded": true, "Missing": true, "Unknown": true}

// argoHealth judges as Argo CD does: what is being deleted is Progressing; for all else the object is the global obj, and of Lua's libraries there are only
// base, package and table unless useOpenLibs is set, which we do not ask for. (Argo CD also has a reduced os.)
func argoHealth(object *unstructured.Unstructured, script string) (*verdict, error) {
	if object.GetDeletionTimestamp() != nil {
		return &verdict{"Progressing", "Pending deletion"}, nil
	}
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{{lua.LoadLibName, lua.OpenPackage}, {lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable}} {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(library.open), Protect: true}, lua.LString(library.name)); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), scriptLimit)
	defer cancel()
	state.SetContext(ctx)
	state.SetGlobal("obj", luaValue(state, object.Object))
	if err := state.DoString(script); err != nil {
		return nil, err
	}
	returned, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return nil, errors.New("the script returned no table")
	}
	given := verdict{lua.LVAsString(returned.RawGetString("status")), lua.LVAsString(returned.RawGetString("message"))}
	if !argoCodes[given.Status] {
		return nil, fmt.Errorf("%q is no health status", given.Status)
	}
	return &given, nil
}

func luaValue(state *lua.LState, value any) lua.LValue {
	switch typed := value.(type) {
	case bool:
		return lua.LBool(typed)
	case string:
		return lua.LString(typed)
	case int64:
		return lua.LNumber(typed)
	case float64:
		return lua.LNumber(typed)
	case []any:
		table := state.NewTable()
		for _, item := range typed {
			table.Append(luaValue(state, item))
		}
		return table
	case map[string]any:
		table := state.NewTable()
		for key, item := range typed {
			table.RawSetString(key, luaValue(state, item))
		}
		return table
	default:
		return lua.LNil
	}
}
