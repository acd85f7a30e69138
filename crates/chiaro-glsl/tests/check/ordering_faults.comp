#version 450
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_split_barrier : require
void early() { uvec3 size = gl_WorkGroupSize; }
layout(local_size_x = 8) in;
layout(binding = 0) buffer Data { uint n; };

void main() {
    int scope = int(n);
    atomicAdd(n, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    atomicAdd(n, 1u, scope, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
    atomicAdd(n, 1u, gl_ScopeDevice, 0, gl_SemanticsAcquire);
    atomicAdd(n, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, 0);
    atomicStore(n, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
    atomicLoad(n, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    atomicCompSwap(n, 1u, 2u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease,
                   gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
    memoryBarrier(gl_ScopeWorkgroup, 0, gl_SemanticsRelaxed);
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, 0, gl_SemanticsVolatile);
    controlBarrierArrive(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
    controlBarrierWait();
}
--- expect
error: `gl_WorkGroupSize` is known only behind the declaration of the workgroup's size
 --> ordering_faults.comp:4:29
  |
4 | void early() { uvec3 size = gl_WorkGroupSize; }
  |                             ^^^^^^^^^^^^^^^^
  |
  = help: write `layout(local_size_x = 64) in;` before

error: scopes and semantics of `atomicAdd` must be constants
  --> ordering_faults.comp:11:22
   |
11 |     atomicAdd(n, 1u, scope, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
   |                      ^^^^^

error: `atomicAdd`: an order needs a storage that it is about
  --> ordering_faults.comp:12:41
   |
12 |     atomicAdd(n, 1u, gl_ScopeDevice, 0, gl_SemanticsAcquire);
   |                                         ^^^^^^^^^^^^^^^^^^^

error: `atomicAdd`: a storage needs an order: acquire, release or both
  --> ordering_faults.comp:13:65
   |
13 |     atomicAdd(n, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, 0);
   |                                                                 ^

error: `atomicStore`: a store acquires nothing
  --> ordering_faults.comp:14:67
   |
14 |     atomicStore(n, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
   |                                                                   ^^^^^^^^^^^^^^^^^^^

error: `atomicLoad`: a load releases nothing
  --> ordering_faults.comp:15:62
   |
15 |     atomicLoad(n, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
   |                                                              ^^^^^^^^^^^^^^^^^^^

error: `atomicCompSwap`: a failed comparison acquires no more than one that holds
  --> ordering_faults.comp:17:47
   |
17 |                    gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
   |                                               ^^^^^^^^^^^^^^^^^^^

error: `memoryBarrier`: a barrier of memory needs an order: acquire, release or both
  --> ordering_faults.comp:18:41
   |
18 |     memoryBarrier(gl_ScopeWorkgroup, 0, gl_SemanticsRelaxed);
   |                                         ^^^^^^^^^^^^^^^^^^^

error: `controlBarrier`: a barrier cannot be volatile
  --> ordering_faults.comp:19:61
   |
19 |     controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, 0, gl_SemanticsVolatile);
   |                                                             ^^^^^^^^^^^^^^^^^^^^

error: `controlBarrierArrive` with a storage takes the order `gl_SemanticsRelease`
  --> ordering_faults.comp:20:5
   |
20 |     controlBarrierArrive(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

